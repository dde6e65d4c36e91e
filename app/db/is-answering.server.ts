import { ContractError } from "~/wire/errors";
import { DatabaseError } from "./call-failure.server";
import type { Database } from "./database.server";

/** A database that takes longer than this (ms) counts as down. */
const deadline = 900;
const goodFor = 1_000;
const pings = new WeakMap<Database, { at: number; answer: Promise<string | null> }>();

/** Why the database cannot serve, in a sentence; null if it answers within the deadline. Pings at most once a second. */
export function findProblem(database: Database): Promise<string | null> {
  const last = pings.get(database);
  if (last && performance.now() - last.at < goodFor) return last.answer;
  const answer = ping(database);
  pings.set(database, { at: performance.now(), answer });
  return answer;
}

async function ping(database: Database): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const down = "The database does not answer.";
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(down), deadline);
  });
  const answer = database.call("ping", {}).then(
    () => null,
    (error: unknown) => setupProblemOf(error) ?? down,
  );
  const problem = await Promise.race([answer, late]);
  clearTimeout(timer);
  return problem;
}

/** What a person has to set up before any call can work, if it is that. */
export function setupProblemOf(error: unknown): string | undefined {
  if (error instanceof ContractError) return error.status === 403 ? wrongKey : undefined;
  if (!(error instanceof DatabaseError)) return undefined;
  if (["42883", "3F000", "PGRST202"].includes(error.sqlState)) {
    return "The database is not migrated: run npm run admin -- migrate.";
  }
  return ["HTTP 401", "PGRST301", "PGRST302"].includes(error.sqlState) ? wrongKey : undefined;
}

const wrongKey =
  "The project refuses SUPABASE_SECRET_KEY: copy the secret key of this project, not the publishable one.";
