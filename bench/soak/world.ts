import type pg from "pg";
import type { Database } from "~/db/database.server";
import { createQueueWorld, startRuns } from "../jobs/world";
import { insertToken } from "../rows";
import { createBenchWorld } from "../streams/world";
import { settings } from "./settings";

/** A person with a product whose board is looked at, and a token. */
export interface Team {
  token: string;
  productId: string;
  storyId: string;
  /** One for each of those who write there. */
  taskIds: string[];
}

export interface SoakWorld {
  /** Where people write and viewers look. */
  teams: Team[];
  /** Tokens of those whose workers serve runs; each has products of their own. */
  workerTokens: string[];
}

const teams = 10;
/** A person may have fifty workers. */
const workersOfPerson = 20;
/** The start of a run of so many ends in time, even on a busy machine. */
const jobsOfProduct = 100;

export async function createSoakWorld(sql: pg.Pool, database: Database): Promise<SoakWorld> {
  const world: SoakWorld = { teams: [], workerTokens: [] };
  for (let n = 0; n < teams; n++) {
    const made = await createBenchWorld(sql, Math.ceil(settings.people / teams));
    world.teams.push(made);
  }
  const owners = Math.ceil(settings.workers / workersOfPerson);
  // Half as many again as there is time for.
  const jobs = Math.ceil(((settings.seconds / settings.jobSeconds) * settings.workers * 1.5) / owners);
  for (let n = 0; n < owners; n++) {
    const queue = await createQueueWorld(sql, database, jobs, Math.ceil(jobs / jobsOfProduct));
    await startRuns(queue);
    world.workerTokens.push(await insertToken(sql, queue.userId));
  }
  await sql.query("vacuum analyze");
  return world;
}
