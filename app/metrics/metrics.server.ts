import type { Database } from "~/db/database.server";
import type { DatabaseFacts } from "~/nouns/metrics/contract";
import { getMetrics } from "~/nouns/metrics/operations.server";
import { CallMetrics } from "./call-metrics";
import { databaseFamilies } from "./database-families";
import { type Family, gauge, writeFamilies } from "./families";
import { ProcessMetrics } from "./process-metrics";
import { RequestMetrics } from "./request-metrics";

/** How long (ms) database facts are cached. */
const goodFor = 5_000;
/** Timeout (ms), so that a dead database is reported instead of hanging the scrape. */
const deadline = 2_000;

interface Surroundings {
  database: Database;
  version: string;
  /** Streams open in this process. */
  streams: { count: number };
}

/** Metrics of one process and its database. */
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
