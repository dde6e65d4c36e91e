/** Promises that a server-rendered page awaits before it hydrates. Route modules add to it while they load. */
export const neededFirst: Promise<void>[] = [];
