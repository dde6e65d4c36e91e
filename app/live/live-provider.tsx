import { useFetchers, useNavigation, useRevalidator } from "@remix-run/react";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
} from "react";
import { RetryingFetch } from "./retrying-fetch";
import { RevalidationSchedule } from "./revalidation-schedule";

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

/** Asks for the loaders of the page to run again; the schedule decides when. */
function useRevalidation(): () => void {
  const revalidator = useRevalidator();
  const navigation = useNavigation();
  const latest = useRef(revalidator);
  const schedule = useRef<RevalidationSchedule | undefined>(undefined);
  const patient = useRef<RetryingFetch | undefined>(undefined);
  // An answer that leads elsewhere is not followed when anything newer has begun meanwhile.
  const isSending = useFetchers().some(({ state }) => state === "submitting");
  const isIdle = navigation.state === "idle" && revalidator.state === "idle" && !isSending;

  useEffect(() => {
    latest.current = revalidator;
  });

  useEffect(() => {
    const original = window.fetch;
    const requests = new RetryingFetch(original.bind(window));
    patient.current = requests;
    window.fetch = requests.fetch;
    return () => {
      window.fetch = original;
    };
  }, []);

  useEffect(() => {
    const revalidate = () => {
      patient.current?.revalidating(true);
      latest.current.revalidate();
    };
    const created = new RevalidationSchedule(revalidate, isSubmitting);
    schedule.current = created;
    return () => created.stop();
  }, []);

  useEffect(() => {
    if (isIdle) patient.current?.revalidating(false);
  }, [isIdle]);

  useEffect(() => {
    const update = () =>
      schedule.current?.update({ isIdle, isVisible: document.visibilityState === "visible" });
    update();
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, [isIdle]);

  return useCallback(() => schedule.current?.ask(), []);
}

/** What the router knows from the moment that a form leaves; a page that is busy drawing hears of it later. */
function isSubmitting(): boolean {
  return [...window.__remixRouter.state.fetchers.values()].some(
    ({ state }) => state === "submitting",
  );
}
