/** A time limit, which also ends with the caller's signal. */
export interface TimeLimit {
  signal: AbortSignal;
  /** True if the time ran out before the work ended. */
  isOver(): boolean;
  /** Stops the timer once the work has ended. */
  end(): void;
}

/** Longest delay of a timer; a longer one would fire at once. */
const longest = 2 ** 31 - 1;

/**
 * Uses a referenced timer. Trap: `AbortSignal.any` over an `AbortSignal.timeout` may never fire after a garbage
 * collection.
 */
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
