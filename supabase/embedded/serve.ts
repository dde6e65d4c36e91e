import { openGateway } from "./data-api/gateway";
import type { Mail } from "./data-api/lite-app";
import { type HostedHabits, type RealtimeServer, startRealtimeServer } from "./realtime/server";
import type { EmbeddedSecrets } from "./secrets";

/** What an app needs to know of a Supabase project. */
export interface SupabaseService {
  supabaseUrl: string;
  publishableKey: string;
  secretKey: string;
  jwtSecret: string;
  /** Answers /auth/v1 and /rest/v1 in this process. */
  fetch: typeof fetch;
  /** The login role of the pooled connections. */
  databaseUrl: string;
  /** The WebSocket address of Realtime. */
  realtimeUrl: string;
  stop(): Promise<void>;
}

export interface ServeOptions {
  urlFor(role: string): string;
  secrets: EmbeddedSecrets;
  siteUrl: string;
  sendMail: (mail: Mail) => Promise<void>;
  /** Realtime listens on a loopback port; without it nothing listens at all. Habits make it like a hosted one. */
  realtime: boolean | HostedHabits;
}

/** Auth, Data API and Realtime over one database that has the shims. */
export async function serveSupabase(options: ServeOptions): Promise<SupabaseService> {
  const gateway = openGateway(options);
  const realtime = options.realtime ? await startRealtime(options) : undefined;
  const address = `127.0.0.1:${realtime?.port ?? 9}`;
  return {
    supabaseUrl: `http://${address}`,
    publishableKey: options.secrets.publishableKey,
    secretKey: options.secrets.secretKey,
    jwtSecret: options.secrets.jwtSecret,
    fetch: gateway.fetch,
    databaseUrl: options.urlFor("authenticator"),
    realtimeUrl: `ws://${address}/realtime/v1`,
    async stop() {
      await realtime?.stop();
      await gateway.close();
    },
  };
}

function startRealtime(options: ServeOptions): Promise<RealtimeServer> {
  const { secrets, realtime } = options;
  return startRealtimeServer({
    hosted: typeof realtime === "object" ? realtime : undefined,
    databaseUrl: options.urlFor("supabase_replication_admin"),
    jwtSecret: secrets.jwtSecret,
    publishableKey: secrets.publishableKey,
    secretKey: secrets.secretKey,
  });
}
