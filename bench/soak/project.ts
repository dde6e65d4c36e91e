import type { Cluster } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { serveSupabase } from "../../supabase/embedded/serve";
import { type Pgbouncer, startPgbouncer } from "../../tests/setup/pgbouncer";
import { startRealtimeServer } from "../../tests/setup/realtime/server";

/** As many connections as the pooler of a small project has. */
const poolSize = 15;

/** The Postgres of the data folder as a Supabase project: keys and address of a gateway, and a pooler in between. */
export interface Project {
  /** Variables of the processes of the service. */
  env: Record<string, string>;
  killPooler(): Promise<void>;
  startPoolerAgain(): Promise<void>;
  stop(): Promise<void>;
}

export async function openProject(dataDir: string, cluster: Cluster): Promise<Project> {
  const secrets = await loadSecrets(dataDir);
  const urlFor = (role: string) => cluster.url(role, "postgres");
  const service = await serveSupabase({
    urlFor,
    secrets,
    siteUrl: "http://127.0.0.1:3000",
    realtime: false,
    sendMail: async () => undefined,
  });
  const databaseUrl = urlFor("authenticator");
  const gateway = await startRealtimeServer({
    ...service,
    databaseUrl: urlFor("supabase_admin"),
    answer: service.fetch,
  });
  let pooler: Pgbouncer = await startPgbouncer({ databaseUrl, size: poolSize });
  return {
    env: {
      SUPABASE_URL: `http://127.0.0.1:${gateway.port}`,
      SUPABASE_PUBLISHABLE_KEY: secrets.publishableKey,
      SUPABASE_SECRET_KEY: secrets.secretKey,
      SUPABASE_DB_URL: pooler.through(databaseUrl),
      SESSION_SECRET: secrets.sessionSecret,
      CRON_SECRET: secrets.cronSecret,
    },
    killPooler: () => pooler.stop(),
    async startPoolerAgain() {
      pooler = await startPgbouncer({ databaseUrl, size: poolSize, port: pooler.port });
    },
    async stop() {
      await pooler.stop();
      await gateway.stop();
      await service.stop();
    },
  };
}
