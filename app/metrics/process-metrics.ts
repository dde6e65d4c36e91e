import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { counter, type Family, gauge, gaugeBy } from "./families";

const nanoseconds = 1e9;

/** Metrics of the process: memory, CPU time and event loop delay. */
export class ProcessMetrics {
  /** Started with the first scrape, because measuring wakes the process fifty times a second. */
  #delay: IntervalHistogram | undefined;
  #utilization = performance.eventLoopUtilization();

  families(): Family[] {
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      ...this.#eventLoop(),
      gauge("backloom_resident_memory_bytes", "Memory of this process.", rss),
      gaugeBy("backloom_memory_bytes", "Memory by use.", "use", { heapUsed, heapTotal, external }),
      counter(
        "backloom_cpu_seconds_total",
        "Processor time of this process.",
        (user + system) / 1e6,
      ),
      gauge("backloom_uptime_seconds", "How long this process runs.", process.uptime()),
    ];
  }

  /** Values since the last scrape. */
  #eventLoop(): Family[] {
    const delays = this.#readDelays();
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(this.#utilization, before);
    return [
      gaugeBy(
        "backloom_event_loop_delay_seconds",
        "Delay of the event loop since the last scrape.",
        "quantile",
        delays,
      ),
      gauge(
        "backloom_event_loop_utilization_ratio",
        "Part of the time since the last scrape in which the event loop worked.",
        utilization,
      ),
    ];
  }

  #readDelays(): Record<string, number> {
    if (this.#delay === undefined) {
      this.#delay = monitorEventLoopDelay({ resolution: 20 });
      this.#delay.enable();
    }
    if (this.#delay.count === 0) return {};
    const delays = {
      "0.5": this.#delay.percentile(50) / nanoseconds,
      "0.99": this.#delay.percentile(99) / nanoseconds,
      "1": this.#delay.max / nanoseconds,
    };
    this.#delay.reset();
    return delays;
  }
}
