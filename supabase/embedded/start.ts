import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { applyShims } from "./apply-shims";
import { refuseUnfinishedRestore } from "./data-folder/restore";
import { prepareUpgrade } from "./data-folder/upgrade";
import { startCluster } from "./postgres/cluster";
import { type EmbeddedSecrets, loadSecrets } from "./secrets";
import { type SupabaseService, serveSupabase } from "./serve";

export interface EmbeddedSupabase extends SupabaseService {
  /** Address for migrations, with role `postgres` as on a hosted project. */
  migrationUrl: string;
  /** The app's own secrets, used where the environment sets none. */
  secrets: Pick<EmbeddedSecrets, "sessionSecret" | "cronSecret">;
  /** Stops Auth, Data API and the change feed, then Postgres unless another process still uses it. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Folder of database and secrets (`.data`). */
  dataDir: string;
  /** Address of the app, for links in Auth emails. */
  siteUrl?: string;
  /** Upgrades the data for this program before anything else uses it. `say` reports a copy made before. */
  upgrade?: { say(line: string): void };
}

/** Starts a complete Supabase in this process, with its Postgres as a child process. */
export async function startEmbeddedSupabase(options: EmbeddedOptions): Promise<EmbeddedSupabase> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  refuseUnfinishedRestore(dataDir);
  const upgrade = options.upgrade && (await prepareUpgrade(dataDir, options.upgrade.say));
  const secrets = await loadSecrets(dataDir);
  const password = secrets.databasePassword;
  const cluster = await startCluster({
    dataDir,
    password,
    beforeStart: upgrade?.beforeStart,
    beforeUse: async ({ url }) => {
      await applyShims(url("supabase_admin", "postgres"), password);
      await upgrade?.finish(url("postgres", "postgres"));
    },
  });
  try {
    const service = await serveSupabase({
      urlFor: (role) => cluster.url(role, "postgres"),
      secrets,
      siteUrl: options.siteUrl ?? "http://127.0.0.1:3000",
      sendMail: async () => undefined,
      realtime: true,
    });
    return {
      ...service,
      migrationUrl: cluster.url("postgres", "postgres"),
      secrets,
      async stop() {
        await service.stop();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
