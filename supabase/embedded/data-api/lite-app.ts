import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import type { EmbeddedSecrets } from "../secrets";

/** A message that Auth wants delivered: password recovery and the like. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

export interface LiteOptions {
  databaseUrl: string;
  connections: number;
  secrets: EmbeddedSecrets;
  siteUrl: string;
  sendMail: (mail: Mail) => Promise<void>;
}

/**
 * One @supabase/lite over the database. It would grant everything to the API roles once it sees
 * row level security; here the rights come from the migrations, so it is told that this is done.
 * Its login role could not grant them either: it owns nothing.
 */
export function createLiteApp(options: LiteOptions) {
  const connection = createPostgresConnection({
    url: options.databaseUrl,
    postgresOptions: { max: options.connections, idle_timeout: 30, onnotice: () => undefined },
  });
  Reflect.set(connection, "rlsState", "active");
  const app = new App({
    connection,
    auth: {
      enabled: true,
      jwt_secret: options.secrets.jwtSecret,
      jwt_expiry: 3600,
      publishable_key: options.secrets.publishableKey,
      secret_key: options.secrets.secretKey,
      site_url: options.siteUrl,
      minimum_password_length: 10,
      enable_signup: true,
      email: { enable_signup: true, enable_confirmations: false },
    },
    storage: { enabled: false },
    options: { drivers: { email: { send: options.sendMail } } },
  });
  return {
    fetch: (request: Request): Promise<Response> => app.fetch(request),
    close: (): Promise<void> => connection.close(),
  };
}
