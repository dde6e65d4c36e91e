import type { Family, Labels } from "./families";
import { Histogram } from "./histogram";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export interface AnsweredRequest {
  method: string | undefined;
  /** Pattern of the matched route, or undefined if none matched. */
  route: string | undefined;
  status: number;
  seconds: number;
  /** Streams are counted when they end, without their duration, which says nothing about the service. */
  isStream: boolean;
}

/** Requests answered by this process. Labels come from our routes only, so visitors cannot add series. */
export class RequestMetrics {
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
        help: "Requests answered, streams among them once they ended.",
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
