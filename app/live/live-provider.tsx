import { useFetchers, useNavigation, useRevalidator } from "@remix-run/react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef } from "react";
import { RetryingFetch } from "./retrying-fetch";
import { router } from "./router";

interface Live {
  /** Owner of the pages' streams, so that two users of one browser never share one. */
  userId: string | undefined;
  /** Reloads the page's data, once for all streams that ask at the same time. */
  revalidate: () => void;
}

const LiveContext = createContext<Live>({ userId: undefined, revalidate: () => {} });

/** Wraps the signed-in pages: their streams belong to this user and revalidate the page together. */
export function LiveProvider({ userId, children }: { userId: string; children: ReactNode }) {
  const revalidate = useRevalidation();
  const live = useMemo(() => ({ userId, revalidate }), [userId, revalidate]);
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}

export const useLive = (): Live => useContext(LiveContext);

/** Returns a function that asks for the page's loaders to run again. The schedule decides when. */
function useRevalidation(): () => void {
  const revalidator = useRevalidator();
  const navigation = useNavigation();
  const latest = useRef(revalidator);
  const schedule = useRef<RevalidationSchedule | undefined>(undefined);
  const patient = useRef<RetryingFetch | undefined>(undefined);
  // Wait for running submissions: Remix ignores their redirect if something newer has started.
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
    const update = () => schedule.current?.update({ isIdle, isVisible: document.visibilityState === "visible" });
    update();
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, [isIdle]);

  return useCallback(() => schedule.current?.ask(), []);
}

/** Asks the router, which knows of a submission at once. React state lags while the page is busy rendering. */
function isSubmitting(): boolean {
  return [...router().state.fetchers.values()].some(({ state }) => state === "submitting");
}

/** Debounce that merges changes into one revalidation, and the longest wait after the first change. */
const joinMs = 150;
const longestWaitMs = 1000;

/** Nearby changes share one revalidation; none runs during a submission or navigation, or while the tab is hidden. */
export class RevalidationSchedule {
  #firstAskedAt: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isIdle = true;
  #isVisible = true;

  /** `isSubmitting` knows of a submission at once; `update` is called a little later. */
  constructor(
    private readonly revalidate: () => void,
    private readonly isSubmitting: () => boolean,
  ) {}

  ask(): void {
    this.#firstAskedAt ??= Date.now();
    this.#plan();
  }

  update({ isIdle, isVisible }: { isIdle: boolean; isVisible: boolean }): void {
    this.#isIdle = isIdle;
    this.#isVisible = isVisible;
    this.#plan();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#firstAskedAt = undefined;
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#firstAskedAt === undefined || !this.#isIdle || !this.#isVisible) return;
    const left = this.#firstAskedAt + longestWaitMs - Date.now();
    this.#timer = setTimeout(() => this.#run(), Math.max(0, Math.min(joinMs, left)));
  }

  #run(): void {
    this.#firstAskedAt = undefined;
    if (this.isSubmitting()) this.ask();
    else this.revalidate();
  }
}
