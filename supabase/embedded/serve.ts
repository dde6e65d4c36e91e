import type { Upstream } from "../../app/realtime/upstream";
import { openGateway } from "./data-api/gateway";
import type { Mail } from "./data-api/lite-app";
import { openTopics } from "./realtime/topics";
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
  /** Hears the changes in this process, where Realtime would otherwise be asked. */
  upstream: Upstream | undefined;
  stop(): Promise<void>;
}

export interface ServeOptions {
  urlFor(role: string): string;
  secrets: EmbeddedSecrets;
  siteUrl: string;
  sendMail: (mail: Mail) => Promise<void>;
  /** Whether changes are followed. */
  realtime: boolean;
}

/** Auth, Data API and what changes, over one database that has the shims. Nothing of it listens. */
export async function serveSupabase(options: ServeOptions): Promise<SupabaseService> {
  const gateway = openGateway(options);
  const topics = options.realtime
    ? await openTopics(options.urlFor("supabase_replication_admin"))
    : undefined;
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
