import { createContext, type ReactNode, useContext } from "react";

const UserContext = createContext<string | undefined>(undefined);

/** Says whose streams the pages below read, so that two users of one browser never share one. */
export function LiveProvider({ userId, children }: { userId: string; children: ReactNode }) {
  return <UserContext.Provider value={userId}>{children}</UserContext.Provider>;
}

/** The user whose streams are read; none outside the signed-in pages. */
export function useLiveUser(): string | undefined {
  return useContext(UserContext);
}
