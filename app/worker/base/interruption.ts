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
