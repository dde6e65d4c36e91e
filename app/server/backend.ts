import { connectDatabase, type Database } from "~/db/database.server";
import { findConnectionProblem } from "~/db/postgres-connection.server";
import { type Env, EnvironmentError } from "~/env.server";
import { loadVapidKeys } from "~/notices/push.server";

/** The Supabase behind this process, plus what only the embedded stack provides. */
export interface Backend {
  database: Database;
  env: Env;
  isEmbedded: boolean;
  /** Address of Postgres as its owner, for the Supabase CLI. Embedded stack only. */
  migrationUrl: string | undefined;
  stop(): Promise<void>;
}

/** Connects to the configured project, or starts the embedded stack in this process. */
export async function openBackend(env: Env): Promise<Backend> {
  return env.supabase ? openProject(env, env.supabase) : openEmbedded(env);
}

async function openProject(env: Env, project: NonNullable<Env["supabase"]>): Promise<Backend> {
  const problem = project.dbUrl ? await findConnectionProblem(project.dbUrl) : undefined;
  if (problem !== undefined) throw new EnvironmentError([`SUPABASE_DB_URL cannot work: ${problem}`]);
  const database = connectDatabase({
    supabaseUrl: project.url,
    publishableKey: project.publishableKey,
    secretKey: project.secretKey,
    databaseUrl: project.dbUrl,
    connections: project.dbConnections,
    fileRoom: { ...env.fileLimits, folder: undefined },
  });
  return { database, env, isEmbedded: false, migrationUrl: undefined, stop: () => database.close() };
}

async function openEmbedded(env: Env): Promise<Backend> {
  // Imported lazily: deployments with a hosted project do not install these packages.
  const { startEmbeddedSupabase } = await import("../../supabase/embedded/start");
  const embedded = await startEmbeddedSupabase({
    dataDir: env.dataDir,
    siteUrl: env.appOrigin,
    // Not standard output: admin commands print their answer there.
    upgrade: { say: (line) => process.stderr.write(`${line}\n`) },
  });
  // The embedded Postgres serves only this installation, without a pooler.
  const database = connectDatabase({
    ...embedded,
    connectionKind: "session",
    fileRoom: { ...env.fileLimits, folder: env.dataDir },
  });
  return {
    database,
    isEmbedded: true,
    migrationUrl: embedded.migrationUrl,
    env: {
      ...env,
      sessionSecrets: env.sessionSecrets.length > 0 ? env.sessionSecrets : [embedded.secrets.sessionSecret],
      cronSecret: env.cronSecret ?? embedded.secrets.cronSecret,
      vapid: env.vapid ?? (await loadVapidKeys(env.dataDir)),
    },
    async stop() {
      await database.close();
      await embedded.stop();
    },
  };
}
