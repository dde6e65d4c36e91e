import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<AbortSignal | undefined>();

/** Aborted when the work that is under way here is over; what it runs in git ends with it. */
export function interruption(): AbortSignal | undefined {
  return current.getStore();
}

/** Does work that ends in the middle of a call of git when the signal says so: a hook or a remote may hold one up for long. */
export function interruptible<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return current.run(signal, work);
}

/** Does what has to come to its end although the work around it is over: keeping what is there, and clearing up. */
export function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
  return current.run(undefined, work);
}
