import { connectDatabase, type Database } from "~/db/database.server";
import { findConnectionProblem } from "~/db/find-connection-problem.server";
import { type Env, EnvironmentError } from "~/env.server";
import { loadVapidKeys } from "~/notices/vapid-keys.server";

/** The Supabase behind this process, and what only the embedded one brings along. */
export interface Backend {
  database: Database;
  /** The environment, completed with the secrets of the embedded stack. */
  env: Env;
  isEmbedded: boolean;
  /** Postgres as its owner, where the Supabase CLI looks; known of the embedded stack only. */
  migrationUrl: string | undefined;
  /** Closes the connections, then stops the embedded stack. */
  stop(): Promise<void>;
}

/** Connects to the configured project, or starts the embedded stack in this process. */
export async function openBackend(env: Env): Promise<Backend> {
  return env.supabase ? openProject(env, env.supabase) : openEmbedded(env);
}

async function openProject(env: Env, project: NonNullable<Env["supabase"]>): Promise<Backend> {
  const problem = project.dbUrl ? await findConnectionProblem(project.dbUrl) : undefined;
  if (problem !== undefined)
    throw new EnvironmentError([`SUPABASE_DB_URL cannot work: ${problem}`]);
  const database = connectDatabase({
    supabaseUrl: project.url,
    publishableKey: project.publishableKey,
    secretKey: project.secretKey,
    databaseUrl: project.dbUrl,
    connections: project.dbConnections,
  });
  return {
    database,
    env,
    isEmbedded: false,
    migrationUrl: undefined,
    stop: () => database.close(),
  };
}

async function openEmbedded(env: Env): Promise<Backend> {
  // Loaded only here: a deployment beside a hosted project leaves these packages out.
  const { startEmbeddedSupabase } = await import("../../supabase/embedded/start");
  const embedded = await startEmbeddedSupabase({
    dataDir: env.dataDir,
    siteUrl: env.appOrigin,
    // Not to standard output: an admin command answers there.
    upgrade: { say: (line) => process.stderr.write(`${line}\n`) },
  });
  // Its Postgres listens for this installation alone, without a pooler.
  const database = connectDatabase({ ...embedded, connectionKind: "session" });
  return {
    database,
    isEmbedded: true,
    migrationUrl: embedded.migrationUrl,
    env: {
      ...env,
      sessionSecrets:
        env.sessionSecrets.length > 0 ? env.sessionSecrets : [embedded.secrets.sessionSecret],
      cronSecret: env.cronSecret ?? embedded.secrets.cronSecret,
      vapid: env.vapid ?? (await loadVapidKeys(env.dataDir)),
    },
    async stop() {
      await database.close();
      await embedded.stop();
    },
  };
}
