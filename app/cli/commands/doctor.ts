import { z } from "zod";
import { setupProblemOf } from "~/db/is-answering.server";
import { EnvironmentError } from "~/env.server";
import type { Backend } from "~/server/backend";
import { type Check, failed, passed, reasonOf } from "~/server/check";
import { checkRegistration, checkSignInProvider } from "~/server/check-sign-in.server";
import { defineCommand } from "../command";
import { checkAdvisors } from "../doctor/check-advisors.server";
import { checkChats } from "../doctor/check-chats.server";
import { checkConnections } from "../doctor/check-connections.server";
import { checkDatabase } from "../doctor/check-database.server";
import { checkSession } from "../doctor/check-session.server";
import type { Target } from "../target.server";

/** `doctor`: checks an installation, embedded or hosted. Each line is ok or says what to do. */
export const doctor = defineCommand({
  name: "doctor",
  summary: "Check environment, database, migrations, registration, tokens, realtime, schedules and chats",
  options: z.object({}),
  run: async (target) => {
    const checks = await examine(target);
    const ok = checks.every((check) => check.ok);
    return {
      ok,
      json: { ok, checks },
      lines: checks.map((check) => `${check.ok ? "ok   " : "FAIL "} ${check.name.padEnd(12)} ${check.message}`),
    };
  },
});

async function examine(target: Target): Promise<Check[]> {
  const environment = checkEnvironment(target);
  if (!environment.ok) return [environment];
  const reachable = await checkReachable(target);
  if (!reachable.ok) return [environment, reachable];
  const backend = await target.backend();
  return [
    environment,
    reachable,
    ...(await checkPooled(backend)),
    ...(await checkDatabase(backend)),
    await checkAdvisors(backend.migrationUrl ?? backend.env.supabase?.dbUrl),
    await checkRegistration(backend.env),
    ...(await checkSignInProvider(backend.env)),
    ...(await checkSession(backend.database)),
    ...(await checkChats(backend.env.chats)),
  ];
}

/** Checks pooled connections. There are none with the Data API or the embedded stack. */
async function checkPooled({ env }: Backend): Promise<Check[]> {
  const { dbUrl, dbConnections = 1 } = env.supabase ?? {};
  return dbUrl === undefined ? [] : [await checkConnections(dbUrl, dbConnections)];
}

function checkEnvironment(target: Target): Check {
  try {
    const { supabase, dataDir } = target.env();
    const where = supabase === undefined ? `embedded, data in ${dataDir}` : supabase.url;
    return passed("environment", where);
  } catch (error) {
    return failed("environment", error instanceof Error ? error.message : reasonOf(error));
  }
}

async function checkReachable(target: Target): Promise<Check> {
  try {
    const database = await target.database();
    await database.call("ping", {});
    return passed("reachable", "the database answers");
  } catch (error) {
    if (error instanceof EnvironmentError) return failed("reachable", error.problems.join("; "));
    const problem = setupProblemOf(error) ?? `The database does not answer: ${reasonOf(error)}`;
    return failed("reachable", problem);
  }
}
