import { setTimeout as pause } from "node:timers/promises";
import { sharedNow } from "./processes";

/** Begins something so many times a second, whether or not the one before has ended; waits for all of them. */
export async function openLoop(
  { seconds, perSecond }: { seconds: number; perSecond: number },
  begin: (n: number) => Promise<unknown>,
): Promise<void> {
  const begun: Promise<unknown>[] = [];
  const startedAt = sharedNow();
  for (let n = 0; n < seconds * perSecond; n++) {
    const due = startedAt + (n * 1000) / perSecond;
    if (due > sharedNow()) await pause(due - sharedNow());
    begun.push(begin(n));
  }
  await Promise.all(begun);
}
