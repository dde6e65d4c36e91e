import { createContext, type ReactNode, useContext, useMemo } from "react";
import { useRevalidation } from "./use-revalidation";

interface Live {
  /** Whose streams the pages read, so that two users of one browser never share one. */
  userId: string | undefined;
  /** Reads the data of the page again, once for all streams that ask at the same time. */
  revalidate: () => void;
}

const LiveContext = createContext<Live>({ userId: undefined, revalidate: () => {} });

/** Stands around the signed-in pages: their streams belong to this user and revalidate the page together. */
export function LiveProvider({ userId, children }: { userId: string; children: ReactNode }) {
  const revalidate = useRevalidation();
  const live = useMemo(() => ({ userId, revalidate }), [userId, revalidate]);
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}

export function useLive(): Live {
  return useContext(LiveContext);
}
