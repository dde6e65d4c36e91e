import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<AbortSignal | undefined>();

/** Signal that aborts the current work, including its git calls. */
export function interruption(): AbortSignal | undefined {
  return current.getStore();
}

/** Runs work whose git calls end when the signal aborts. A hook or remote could hold one up for long. */
export function interruptible<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return current.run(signal, work);
}

/** Runs work that must finish even if the surrounding work is aborted, such as keeping work and cleaning up. */
export function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
  return current.run(undefined, work);
}

interface TimeLimit {
  signal: AbortSignal;
  /** True if the time ran out before the work ended. */
  isOver(): boolean;
  end(): void;
}

/** Longest delay of a timer; a longer one would fire at once. */
const longest = 2 ** 31 - 1;

/** A referenced timer. Trap: `AbortSignal.any` over `AbortSignal.timeout` may never fire after a garbage collection. */
export function limitTime(milliseconds: number, wanted?: AbortSignal): TimeLimit {
  const over = new AbortController();
  const ended = (): void => over.abort(wanted?.reason);
  let isOver = false;
  const timer = setTimeout(
    () => {
      isOver = true;
      over.abort(new DOMException("The time for it is over", "TimeoutError"));
    },
    Math.min(milliseconds, longest),
  );
  wanted?.addEventListener("abort", ended, { once: true });
  if (wanted?.aborted) ended();
  return {
    signal: over.signal,
    isOver: () => isOver,
    end() {
      clearTimeout(timer);
      wanted?.removeEventListener("abort", ended);
    },
  };
}
