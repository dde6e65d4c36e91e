/** What ran in a folder since git's last call there. */
export interface Traces {
  isTouched: boolean;
  /** True if something has run in it that was confined, so that what is written there must not act outside. */
  isConfined: boolean;
}

const followed = new Map<string, Traces>();

/** Follows what runs in a folder from now on. It counts as touched at first. */
export function followTraces(folder: string): Traces {
  const traces = { isTouched: true, isConfined: false };
  followed.set(folder, traces);
  return traces;
}

export function forgetTraces(folder: string): void {
  followed.delete(folder);
}

/** Notes that a program ran in a folder, so that it is checked before git's next call there. */
export function noteTouched(folder: string, isConfined: boolean): void {
  const traces = followed.get(folder);
  if (traces === undefined) return;
  traces.isTouched = true;
  traces.isConfined ||= isConfined;
}
