/** Time for a piece of work, which ends with the signal of whoever wants it as well. */
export interface TimeLimit {
  signal: AbortSignal;
  /** Whether the time ran out before the work was over. */
  isOver(): boolean;
  /** The work is over: the time counts no longer. */
  end(): void;
}

/** The longest time that a timer knows: a longer one would be over at once. */
const longest = 2 ** 31 - 1;

/**
 * With a timer that is held: `AbortSignal.any` over an `AbortSignal.timeout` never ends once a garbage collection has come by.
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
