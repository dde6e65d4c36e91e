import { readFileSync } from "node:fs";

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
