import { z } from "zod";
import { CommandError, type CommandOutput, defineCommand } from "~/cli/command";
import { connectionSettings } from "~/db/postgres-connection.server";
import type { Env } from "~/env.server";

const useTheirs = 'use its own backups (Database, Backups), or "supabase db dump"';

/** `backup`: copies the embedded installation while it runs. Prints only the path of the copy to standard output. */
export const backup = defineCommand({
  name: "backup",
  summary: "Copy the data folder while the service runs, and check the copy",
  options: z.object({
    to: z.string().min(1).optional(),
    keep: z
      .string()
      .regex(/^[1-9]\d{0,5}$/, "must be a whole number from 1: how many copies stay")
      .transform(Number)
      .optional(),
  }),
  run: async (target, { to: folder, keep }) => {
    const dataDir = ownDataDir(target.env(), useTheirs);
    // End through `exit`, whose handlers stop what was started, even when the service that started this stops it.
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, endNow);
    const { backUp } = await import("../../../supabase/embedded/data-folder/back-up");
    try {
      const copy = await refusing(() => backUp({ dataDir, folder, keep }));
      const counts = countsOf(copy.rows);
      const size = `${Math.ceil(copy.bytes / 1024 / 1024)} MB`;
      process.stderr.write(`The copy opens, and every row was read: ${counts}; ${size}.\n`);
      return { json: { ...copy }, lines: [copy.path] };
    } finally {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.off(signal, endNow);
    }
  },
});

/** `restore`: fills an empty data folder with a copy. */
export const restore = defineCommand({
  name: "restore",
  summary: "Fill an empty DATA_DIR with a copy of backup or of an upgrade",
  positionals: ["copy"],
  options: z.object({ copy: z.string({ error: "which copy?" }).min(1) }),
  run: async (target, { copy }): Promise<CommandOutput> => {
    const dataDir = ownDataDir(target.env(), useTheirs);
    const { restoreCopy } = await import("../../../supabase/embedded/data-folder/restore");
    const { begun_at, rows } = await refusing(() => restoreCopy(copy, dataDir));
    const counts = rows ? `: ${countsOf(rows)}` : "";
    return {
      json: { data_dir: dataDir, begun_at, rows },
      lines: [`${dataDir} is as it was at ${begun_at}${counts}. Start the service over it.`],
    };
  },
});

function countsOf(rows: Record<string, number>): string {
  const named = ["products", "stories", "tasks"].map((table) => `${rows[`public.${table}`] ?? 0} ${table}`);
  return named.join(", ");
}

function endNow(): void {
  process.exit(1);
}

/** `secrets rotate`: new passwords and keys for a stopped embedded installation. */
export const secretsRotate = defineCommand({
  name: "secrets rotate",
  summary: "Replace passwords and keys in the data folder of a stopped service",
  options: z.object({ sessions: z.boolean().default(false) }),
  run: async (target, { sessions }) => {
    const dataDir = ownDataDir(target.env(), "make new keys on its page of API keys");
    const { rotateSecrets } = await import("../../../supabase/embedded/data-folder/rotate-secrets");
    await refusing(() => rotateSecrets(dataDir, sessions));
    const people = sessions ? "Everyone signs in again." : "People stay signed in.";
    return {
      json: { data_dir: dataDir, sessions_ended: sessions },
      lines: [`The passwords and keys in ${dataDir} are new. ${people} Start the service over it.`],
    };
  },
});

/** `migrate`: applies what a Supabase project lacks, while processes of the version before are at work. */
export const migrate = defineCommand({
  name: "migrate",
  summary: "Apply the missing migrations to a Supabase project while its service runs",
  options: z.object({}),
  run: async (target) => {
    const { supabase } = target.env();
    if (supabase === undefined) {
      throw new CommandError("The database of a data folder is migrated when its service starts.");
    }
    const { dbUrl } = supabase;
    if (dbUrl === undefined) throw new CommandError("Set SUPABASE_DB_URL to the address of the project's Postgres.");
    const { migrateDatabase } = await import("../../../supabase/embedded/migrate");
    const report = await refusing(() => migrateDatabase(connectionSettings(dbUrl)));
    const { applied, rules } = report;
    const applying = rules ? `applied in ${rules.seconds} s (${rules.hash.slice(0, 12)})` : "as they were";
    return { json: { ...report }, lines: [`Migrations applied: ${applied}`, `Rules: ${applying}`] };
  },
});

/** The data folder of an embedded installation; for a project, `instead` says what to do there. */
function ownDataDir({ supabase, dataDir }: Env, instead: string): string {
  if (supabase === undefined) return dataDir;
  throw new CommandError(`The data are in the Supabase project ${supabase.url}: ${instead}.`);
}

/** What is wrong with a data folder is a refusal of the command. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  const { DataFolderProblem } = await import("../../../supabase/embedded/data-folder/problem");
  try {
    return await work();
  } catch (error) {
    if (error instanceof DataFolderProblem) throw new CommandError(error.message);
    throw error;
  }
}
