import { existsSync } from "node:fs";
import { join } from "node:path";
import { connectDatabase, type Database } from "~/db/database.server";
import { type Env, readEnv } from "~/env.server";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { type EmbeddedSupabase, startEmbeddedSupabase } from "../../supabase/embedded/start";

/** What a command works on: the Supabase of the environment, opened when it is first needed. */
export interface Target {
  env(): Env;
  database(): Promise<Database>;
  /** The embedded stack when the environment names no project, else undefined. */
  embedded(): Promise<EmbeddedSupabase | undefined>;
  /** True when the data folder of the embedded stack exists already. */
  hasData(): boolean;
  close(): Promise<void>;
}

/**
 * Opens the target of an admin command. Embedded: joins the Postgres of a running server or starts it for the time of the
 * command; hosted: connects as the service does.
 */
export function openTarget(environment: Record<string, string | undefined>): Target {
  let env: Env | undefined;
  let stack: Promise<EmbeddedSupabase | undefined> | undefined;
  let connection: Promise<Database> | undefined;
  const target: Target = {
    env: () => {
      env ??= readEnv(environment);
      return env;
    },
    embedded: () => {
      stack ??= openEmbedded(target.env());
      return stack;
    },
    database: () => {
      connection ??= openDatabase(target);
      return connection;
    },
    hasData: () => existsSync(join(target.env().dataDir, "secrets.json")),
    close: async () => {
      const database = await connection?.catch(() => undefined);
      await database?.close();
      const embedded = await stack?.catch(() => undefined);
      await embedded?.stop();
    },
  };
  return target;
}

async function openEmbedded(env: Env): Promise<EmbeddedSupabase | undefined> {
  if (env.supabase !== undefined) return undefined;
  const embedded = await startEmbeddedSupabase({ dataDir: env.dataDir, siteUrl: env.appOrigin });
  try {
    await migrateDatabase(embedded.migrationUrl);
    return embedded;
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

async function openDatabase(target: Target): Promise<Database> {
  const embedded = await target.embedded();
  if (embedded !== undefined) return connectDatabase({ ...embedded, supabaseUrl: embedded.supabaseUrl });
  const { supabase } = target.env();
  if (supabase === undefined) throw new Error("neither an embedded nor a hosted database");
  const { url, publishableKey, secretKey, dbUrl } = supabase;
  return connectDatabase({ supabaseUrl: url, publishableKey, secretKey, databaseUrl: dbUrl });
}
