import { readFileSync } from "node:fs";
import type { TestApp } from "./app";

/**
 * The time that this thread, which is the service's, has worked. It is what decides how long the others wait: the service answers
 * everyone in one thread, and it waits for nothing in it but its own work. The clock would count as well what the other tests and
 * their databases take from the machine, which may be a second for no fault of the service. On a machine that does nothing else
 * `HEALTH_CLOCK=wall` measures what a caller of `/api/health` sees; where the system does not tell a thread's work it is always so.
 */
export function busyMilliseconds(): number {
  if (process.env.HEALTH_CLOCK === "wall") return performance.now();
  try {
    const statistics = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8");
    return Number(statistics.split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** The most that the thread worked until it answered `/api/health`, while something else was answered; and the status of that. */
export async function healthBeside(app: TestApp, work: Promise<Response>) {
  let isDone = false;
  const done = work
    .then((answer) => answer.arrayBuffer())
    .finally(() => {
      isDone = true;
    });
  let longest = 0;
  do {
    const before = busyMilliseconds();
    await (await app.request("/api/health")).arrayBuffer();
    longest = Math.max(longest, busyMilliseconds() - before);
  } while (!isDone);
  await done;
  return { longest, status: (await work).status };
}
