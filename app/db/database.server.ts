import { type CookieMethodsServer, createServerClient } from "@supabase/ssr";
import { createClient } from "@supabase/supabase-js";
import type { FileLimits } from "~/env-limits.server";
import { type AuthSettings, readAuthSettings } from "./auth-settings.server";
import { type DirectTransport, openDirectTransport } from "./direct-transport.server";
import { fetchData, openHttpTransport } from "./http-transport.server";
import type { ConnectionKind } from "./statement.server";
import type { Database as Tables } from "./types";
import type { Upstream } from "./upstream";
import { webSocketTransport } from "./web-socket-transport.server";
import type { WrittenJson } from "./written-json";

/** Who calls: a token, a session, or a user the service itself vouches for. */
export type Credential =
  | {
      token_hash: string;
      /** MCP path at which the token was presented. OAuth grant tokens are valid at one path only. */
      audience?: string;
    }
  | { session_id: string }
  | { user_id: string };

/** Arguments by name, or as they were written already. */
export type Values = Record<string, unknown> | WrittenJson;

export type SupabaseConnection = ReturnType<typeof makeClient>;

/** The only door to Supabase: each call runs one operation and returns its JSON as text, or throws `ContractError`. */
export interface Database {
  /** Runs an operation as the credential's user, resolved in the same statement. With a key, runs it once (`Once`). */
  callAs(credential: Credential, operation: string, values: Values, key?: string): Promise<string>;
  /** Runs a service-only operation: there is no user yet, or the caller is the scheduler. */
  call(operation: string, values: Values): Promise<string>;
  authenticate(credential: Credential): Promise<string>;
  /** Source of change events of an embedded database. A hosted one sends them over Realtime. */
  upstream: Upstream | undefined;
  /** Where attached files are kept, and how many bytes of them. */
  fileRoom: FileRoom;
  /** What the project's Auth is set to; null if it does not answer. */
  authSettings(): Promise<AuthSettings | null>;
  /** supabase-js with the secret key: Auth administration, Storage, Realtime. */
  secretClient: SupabaseConnection;
  /** A fresh supabase-js client with the publishable key, which anyone could open. */
  publicClient(): SupabaseConnection;
  /** A fresh client for sign-in and sign-up on behalf of a client address. */
  signInClient(clientAddress: string): SupabaseConnection;
  /** Like `signInClient`, for a flow over several requests (recovery). Auth keeps its state in cookies. */
  formClient(clientAddress: string, cookies: CookieMethodsServer): SupabaseConnection;
  close(): Promise<void>;
}

export interface FileRoom extends FileLimits {
  /** The folder of an embedded database, whose disk is looked at. */
  folder: string | undefined;
}

export interface DatabaseOptions {
  supabaseUrl: string;
  publishableKey: string;
  secretKey: string;
  /** `fetch` for Auth and Data API. The embedded stack passes its own, which needs no network. */
  fetch?: typeof fetch | undefined;
  fileRoom?: FileRoom;
  /** Source of change events that replaces Realtime. */
  upstream?: Upstream | undefined;
  /** Address of Postgres. If set, calls use pooled connections instead of HTTP. */
  databaseUrl?: string | undefined;
  /** Maximum number of pooled connections (default 8). */
  connections?: number;
  /** Kind of these connections (default `transaction`, which is safe with every pooler). */
  connectionKind?: ConnectionKind;
}

/** Opens the database of a Supabase project, hosted or embedded. */
export function connectDatabase(options: DatabaseOptions): Database {
  const direct = options.databaseUrl
    ? openDirectTransport({ ...options, databaseUrl: options.databaseUrl })
    : undefined;
  const clientFetch = withPatience(options.fetch ?? fetch);
  const transport = direct ?? openHttpTransport(makeClient(options, options.secretKey, fetchData(clientFetch)));
  const secretClient = makeClient(options, options.secretKey, clientFetch);
  return {
    callAs: (p_credential, p_function, p_arguments, p_key) =>
      transport.call("call_as", { p_credential, p_function, p_arguments, p_key }),
    call: (p_function, p_arguments) => transport.call("call_service", { p_function, p_arguments }),
    authenticate: (p_credential) => transport.call("authenticate", { p_credential }),
    upstream: options.upstream,
    fileRoom: options.fileRoom ?? { folder: undefined, freeDisk: undefined, total: undefined },
    authSettings: () => readAuthSettings(options, options.fetch),
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

/** How long (ms) a form waits for Auth. */
const authPatience = 10_000;

/** Ends slow calls of Auth; a proxy before it may answer without JSON, of which supabase-js would lose the status. */
function withPatience(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    if (!address.includes("/auth/v1/")) return send(input, init);
    const answer = await send(input, { ...init, signal: AbortSignal.timeout(authPatience) });
    if (answer.ok || answer.headers.get("content-type")?.includes("json")) return answer;
    return Response.json({ msg: await answer.text() }, { status: answer.status });
  };
}

/** Auth limits attempts by address, and ours come from one: a secret key may send the client's, legacy keys may not. */
function onBehalfOf(
  { secretKey, publishableKey }: DatabaseOptions,
  clientAddress: string,
): { key: string; headers: Record<string, string> } {
  if (!secretKey.startsWith("sb_secret_")) return { key: publishableKey, headers: {} };
  return { key: secretKey, headers: clientAddress === "" ? {} : { "sb-forwarded-for": clientAddress } };
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
      // With PKCE, email links carry a code that is useless elsewhere instead of a session in the address bar.
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
