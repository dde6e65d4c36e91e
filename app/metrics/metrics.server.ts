import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { Database } from "~/db/database.server";
import { getMetrics } from "~/nouns/metrics/operations.server";
import type { DatabaseFacts } from "~/wire/metrics/contract";
import { CallMetrics } from "./call-metrics";
import { databaseFamilies } from "./database-families";
import { counter, type Family, gauge, gaugeBy, Histogram, type Labels, writeFamilies } from "./families";

/** How long (ms) database facts are cached. */
const goodFor = 5_000;
/** Timeout (ms), so that a dead database is reported instead of hanging the scrape. */
const deadline = 2_000;

type Surroundings = { database: Database; version: string; streams: { count: number } };

export class Metrics {
  readonly requests = new RequestMetrics();
  readonly calls = new CallMetrics();
  readonly #process = new ProcessMetrics();
  #facts: { at: number; answer: Promise<DatabaseFacts | null> } | undefined;

  /** Returns the body of `GET /metrics`. */
  async text({ database, version, streams }: Surroundings): Promise<string> {
    const facts = await this.#factsOf(database);
    return writeFamilies([
      buildFamily(version),
      gauge("backloom_database_up", "Whether the database answers this process.", facts ? 1 : 0),
      gauge("backloom_streams_open", "Event streams open in this process.", streams.count),
      ...this.#process.families(),
      ...this.requests.families(),
      ...this.calls.families(),
      ...(facts ? databaseFamilies(facts) : []),
    ]);
  }

  #factsOf(database: Database): Promise<DatabaseFacts | null> {
    const last = this.#facts;
    if (last && performance.now() - last.at < goodFor) return last.answer;
    const answer = ask(database);
    this.#facts = { at: performance.now(), answer };
    return answer;
  }
}

async function ask(database: Database): Promise<DatabaseFacts | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), deadline);
  });
  const facts = await Promise.race([getMetrics(database).catch(() => null), late]);
  clearTimeout(timer);
  return facts;
}

function buildFamily(version: string): Family {
  return {
    name: "backloom_build_info",
    help: "Always 1: which version runs, on which Node.",
    type: "gauge",
    samples: [{ labels: { version, node: process.versions.node }, value: 1 }],
  };
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

interface AnsweredRequest {
  method: string | undefined;
  /** Pattern of the matched route, or undefined if none matched. */
  route: string | undefined;
  status: number;
  seconds: number;
  /** Streams are counted when they end, without their duration, which says nothing about the service. */
  isStream: boolean;
}

/** Requests answered by this process. Labels come from our routes only, so visitors cannot add series. */
class RequestMetrics {
  readonly #counts = new Map<string, { labels: Labels; value: number }>();
  readonly #durations = new Histogram();

  record({ method: given = "", route = "none", status, seconds, isStream }: AnsweredRequest): void {
    const method = methods.has(given) ? given : "other";
    const key = `${method} ${route}`;
    const counted = `${key} ${status}`;
    const count = this.#counts.get(counted);
    if (count) count.value += 1;
    else {
      this.#counts.set(counted, { labels: { method, route, status: String(status) }, value: 1 });
    }
    if (!isStream) this.#durations.observe(key, () => ({ method, route }), seconds);
  }

  families(): Family[] {
    return [
      {
        name: "backloom_http_requests_total",
        help: "Requests answered. A stream counts when it ends.",
        type: "counter",
        samples: [...this.#counts.values()],
      },
      this.#durations.family(
        "backloom_http_request_duration_seconds",
        "Time until a request was answered; streams are left out.",
      ),
    ];
  }
}

const nanoseconds = 1e9;

/** Metrics of the process: memory, CPU time and event loop delay. */
class ProcessMetrics {
  /** Started with the first scrape, because measuring wakes the process fifty times a second. */
  #delay: IntervalHistogram | undefined;
  #utilization = performance.eventLoopUtilization();

  families(): Family[] {
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      ...this.#eventLoop(),
      gauge("backloom_resident_memory_bytes", "Resident memory of the process.", rss),
      gaugeBy("backloom_memory_bytes", "Memory by use.", "use", { heapUsed, heapTotal, external }),
      counter("backloom_cpu_seconds_total", "Processor time of this process.", (user + system) / 1e6),
      gauge("backloom_uptime_seconds", "Time since the process started.", process.uptime()),
    ];
  }

  /** Values since the last scrape. */
  #eventLoop(): Family[] {
    const delays = this.#readDelays();
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(this.#utilization, before);
    return [
      gaugeBy("backloom_event_loop_delay_seconds", "Event loop delay since the last scrape.", "quantile", delays),
      gauge(
        "backloom_event_loop_utilization_ratio",
        "Share of the time since the last scrape that the event loop was busy.",
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
