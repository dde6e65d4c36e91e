import { App } from "@supabase/lite";
import type { EmbeddedSecrets } from "../secrets";
import { connectLite } from "./lite-connection";
import { answerAsPostgrest, rememberError } from "./postgrest-answer";

mendProcessWarnings();

/** An email that Auth wants delivered, such as password recovery. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

export interface LiteOptions {
  databaseUrl: string;
  /** Login that sees every table, for the schema cache. The one above sees none without switching roles. */
  catalogUrl: string;
  connections: number;
  secrets: EmbeddedSecrets;
  siteUrl: string;
  sendMail: (mail: Mail) => Promise<void>;
}

/**
 * One @supabase/lite over the database. When it sees row level security, it would grant everything to the API roles.
 * Here privileges come from the migrations, so `rlsState` says it is already done. Its login role could not grant
 * them anyway: it owns nothing.
 */
export function createLiteApp(options: LiteOptions) {
  const connection = connectLite(options.databaseUrl, options.connections);
  const catalog = connectLite(options.catalogUrl, 1);
  connection.introspect = (how) => catalog.introspect(how);
  connection.normalizeDbError = rememberError;
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
    options: {
      drivers: { email: { send: options.sendMail } },
      server: { disableStudio: true, disableFallback: true, admin: false },
    },
  });
  return {
    fetch: (request: Request): Promise<Response> => answerAsPostgrest(() => app.fetch(request)),
    async close(): Promise<void> {
      await Promise.all([connection.close(), catalog.close()]);
    },
  };
}

/**
 * @supabase/lite wraps `process.emitWarning` in a filter that treats every warning as a string. For an `Error`, which
 * Node allows, it throws in the caller. This adds to such warnings the one method the filter calls.
 */
function mendProcessWarnings(): void {
  const filtered = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const asked =
      typeof warning === "string" ? warning : Object.assign(warning, { includes: () => false });
    Reflect.apply(filtered, process, [asked, ...rest]);
  };
}
