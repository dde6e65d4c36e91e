import { type CookieMethodsServer, createServerClient } from "@supabase/ssr";
import { createClient } from "@supabase/supabase-js";
import type { Upstream } from "~/realtime/upstream";
import { type DirectTransport, openDirectTransport } from "./direct-transport.server";
import { openHttpTransport } from "./http-transport.server";
import type { ConnectionKind } from "./statement.server";
import type { Database as Tables } from "./types";
import { webSocketTransport } from "./web-socket-transport.server";

/** Who asks: a token, a session, or somebody whom the service takes at their word. */
export type Credential =
  | {
      token_hash: string /** The path of MCP at which the token was shown: those of grants are good at one alone. */;
      audience?: string;
    }
  | { session_id: string }
  | { user_id: string };

export type Values = Record<string, unknown>;

export type SupabaseConnection = ReturnType<typeof makeClient>;

/**
 * The only door to Supabase: one operation per call (a function of schema `operations`), which answers its JSON as text and
 * throws `ContractError` for refusals; and the clients for Auth and Realtime.
 */
export interface Database {
  /** An operation as the user of a credential, who is found in the same statement; once for a key, if there is one (`Once`). */
  callAs(credential: Credential, operation: string, values: Values, key?: string): Promise<string>;
  /** An operation that is the service's alone: there is no user yet, or the caller is the schedule. */
  call(operation: string, values: Values): Promise<string>;
  /** Who is behind a credential. */
  authenticate(credential: Credential): Promise<string>;
  /** Hears the changes of an embedded database; a hosted one is heard over Realtime. */
  upstream: Upstream | undefined;
  /** supabase-js with the secret key: Auth administration, Storage, Realtime. */
  secretClient: SupabaseConnection;
  /** A fresh supabase-js client with the publishable key: what anybody could open. */
  publicClient(): SupabaseConnection;
  /** A fresh client for sign-in and sign-up, on behalf of somebody at this address. */
  signInClient(clientAddress: string): SupabaseConnection;
  /** The same for a form that goes on in a later request (recovery): what Auth has to remember stays in cookies. */
  formClient(clientAddress: string, cookies: CookieMethodsServer): SupabaseConnection;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  supabaseUrl: string;
  publishableKey: string;
  secretKey: string;
  /** Answers Auth and Data API requests; the embedded stack passes its own, which needs no network. */
  fetch?: typeof fetch | undefined;
  /** Hears the changes where no Realtime is asked. */
  upstream?: Upstream | undefined;
  /** Where Postgres itself is reachable: calls then go over pooled connections instead of HTTP. */
  databaseUrl?: string | undefined;
  /** At most this many pooled connections (8). */
  connections?: number;
  /** What these connections are (`transaction`, which is safe over every pooler). */
  connectionKind?: ConnectionKind;
}

/** Opens the database of a Supabase project, hosted or embedded. */
export function connectDatabase(options: DatabaseOptions): Database {
  const direct = options.databaseUrl
    ? openDirectTransport({ ...options, databaseUrl: options.databaseUrl })
    : undefined;
  const clientFetch = options.fetch ?? fetch;
  const transport = direct ?? openHttpTransport({ ...options, fetch: clientFetch });
  const secretClient = makeClient(options, options.secretKey, clientFetch);
  return {
    callAs: (p_credential, p_function, p_arguments, p_key) =>
      transport.call("call_as", { p_credential, p_function, p_arguments, p_key }),
    call: (p_function, p_arguments) => transport.call("call_service", { p_function, p_arguments }),
    authenticate: (p_credential) => transport.call("authenticate", { p_credential }),
    upstream: options.upstream,
    secretClient,
    publicClient: () => makeClient(options, options.publishableKey, clientFetch),
    signInClient: (clientAddress) => {
      const { key, headers } = onBehalfOf(options, clientAddress);
      return makeClient(options, key, clientFetch, headers);
    },
    formClient: (clientAddress, cookies) => {
      const { key, headers } = onBehalfOf(options, clientAddress);
      return createServerClient<Tables>(options.supabaseUrl, key, {
        cookies,
        global: { fetch: clientFetch, headers },
        realtime: { transport: webSocketTransport },
      });
    },
    close: () => closeAll(secretClient, direct),
  };
}

/**
 * Auth limits tries by address, and every try comes from ours. A secret key may name the client's instead, where the
 * project has IP address forwarding on; the older keys may not.
 */
function onBehalfOf(
  { secretKey, publishableKey }: DatabaseOptions,
  clientAddress: string,
): { key: string; headers: Record<string, string> } {
  if (!secretKey.startsWith("sb_secret_")) return { key: publishableKey, headers: {} };
  return {
    key: secretKey,
    headers: clientAddress === "" ? {} : { "sb-forwarded-for": clientAddress },
  };
}

function makeClient(
  options: DatabaseOptions,
  key: string,
  clientFetch: typeof fetch,
  headers: Record<string, string> = {},
) {
  return createClient<Tables>(options.supabaseUrl, key, {
    auth: {
      persistSession: false,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      // A link in a message then brings a code that is worth nothing elsewhere, never a session in the address bar.
      flowType: "pkce",
    },
    global: { fetch: clientFetch, headers },
    realtime: { transport: webSocketTransport, heartbeatIntervalMs: 5000 },
  });
}

async function closeAll(client: SupabaseConnection, direct: DirectTransport | undefined) {
  await client.removeAllChannels();
  await direct?.close();
}
