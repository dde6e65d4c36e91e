import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { applyShims } from "./apply-shims";
import type { Mail } from "./data-api/lite-app";
import { refuseUnfinishedRestore } from "./data-folder/restore";
import { prepareUpgrade } from "./data-folder/upgrade";
import { startCluster } from "./postgres/cluster";
import { type EmbeddedSecrets, loadSecrets } from "./secrets";
import { type SupabaseService, serveSupabase } from "./serve";

export interface EmbeddedSupabase extends SupabaseService {
  /** Where migrations are applied: the role `postgres`, as on a hosted project. */
  migrationUrl: string;
  /** Secrets of the app itself, for what the environment leaves unset. */
  secrets: Pick<EmbeddedSecrets, "sessionSecret" | "cronSecret">;
  /** Ends Auth, Data API and the feed of changes, then Postgres unless another process still uses it. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Where database and secrets are kept (`.data`). */
  dataDir: string;
  /** Preferred port of Postgres; a free one is taken when it is in use. */
  port?: number;
  databaseName?: string;
  /** Address of the app, which Auth puts into links. */
  siteUrl?: string;
  /** Delivers the messages of Auth; without one they are dropped. */
  sendMail?: (mail: Mail) => Promise<void>;
  /** Brings the data to what this program expects before anybody else uses them, and says it when a copy was made. */
  upgrade?: { say(line: string): void };
}

/** Starts a whole Supabase in this process and the Postgres it needs beside it. */
export async function startEmbeddedSupabase(options: EmbeddedOptions): Promise<EmbeddedSupabase> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  refuseUnfinishedRestore(dataDir);
  const upgrade = options.upgrade && (await prepareUpgrade(dataDir, options.upgrade.say));
  const secrets = await loadSecrets(dataDir);
  const databaseName = options.databaseName ?? "postgres";
  const password = secrets.databasePassword;
  const cluster = await startCluster({
    dataDir,
    password,
    port: options.port,
    beforeStart: upgrade?.beforeStart,
    beforeUse: async ({ url }) => {
      await applyShims(url("supabase_admin", databaseName), password);
      await upgrade?.finish(url("postgres", databaseName));
    },
  });
  try {
    const service = await serveSupabase({
      urlFor: (role) => cluster.url(role, databaseName),
      secrets,
      siteUrl: options.siteUrl ?? "http://127.0.0.1:3000",
      sendMail: options.sendMail ?? (async () => undefined),
      realtime: true,
    });
    return {
      ...service,
      migrationUrl: cluster.url("postgres", databaseName),
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
