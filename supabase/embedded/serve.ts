import type { Upstream } from "../../app/db/upstream";
import { openGateway } from "./data-api/gateway";
import type { Mail } from "./data-api/lite-app";
import { openTopics } from "./realtime/topics";
import type { EmbeddedSecrets } from "./secrets";

/** What an app needs to use a Supabase project. */
export interface SupabaseService {
  supabaseUrl: string;
  publishableKey: string;
  secretKey: string;
  jwtSecret: string;
  /** Answers /auth/v1 and /rest/v1 in this process. */
  fetch: typeof fetch;
  /** Address for the login role of the pooled connections. */
  databaseUrl: string;
  /** Source of change events in this process, instead of Realtime. */
  upstream: Upstream | undefined;
  stop(): Promise<void>;
}

export interface ServeOptions {
  urlFor(role: string): string;
  secrets: EmbeddedSecrets;
  siteUrl: string;
  sendMail: (mail: Mail) => Promise<void>;
  realtime: boolean;
}

/** Auth, Data API and change feed over one database that has the shims. Opens no port. */
export async function serveSupabase(options: ServeOptions): Promise<SupabaseService> {
  const gateway = openGateway(options);
  const topics = options.realtime ? await openTopics(options.urlFor("supabase_replication_admin")) : undefined;
  return {
    supabaseUrl: "http://127.0.0.1:9",
    publishableKey: options.secrets.publishableKey,
    secretKey: options.secrets.secretKey,
    jwtSecret: options.secrets.jwtSecret,
    fetch: gateway.fetch,
    databaseUrl: options.urlFor("authenticator"),
    upstream: topics?.upstream,
    async stop() {
      await topics?.stop();
      await gateway.close();
    },
  };
}
