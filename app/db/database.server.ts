import { type CookieMethodsServer, createServerClient } from "@supabase/ssr";
import { createClient } from "@supabase/supabase-js";
import { directRpcFetch } from "./direct-rpc-fetch.server";
import { type DirectTransport, openDirectTransport } from "./direct-transport.server";
import { openHttpTransport } from "./http-transport.server";
import type { Database as Tables } from "./types";
import { webSocketTransport } from "./web-socket-transport.server";

export type SupabaseConnection = ReturnType<typeof makeClient>;

/** The only door to Supabase: one SQL function per call, and the clients for Auth and Realtime. */
export interface Database {
  /** Calls a SQL function with the secret key and returns its JSON text. Throws `ContractError` for refusals. */
  call(functionName: string, functionArguments: Record<string, unknown>): Promise<string>;
  /** supabase-js with the secret key: Auth administration, Storage, Realtime upstream. */
  secretClient: SupabaseConnection;
  /** A fresh supabase-js client with the publishable key, for password sign-in. */
  publicClient(): SupabaseConnection;
  /** The same for a form that goes on in a later request (recovery): what Auth has to remember stays in cookies. */
  formClient(cookies: CookieMethodsServer): SupabaseConnection;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  supabaseUrl: string;
  publishableKey: string;
  secretKey: string;
  /** Answers Auth and Data API requests; the embedded stack passes its own, which needs no network. */
  fetch?: typeof fetch | undefined;
  /** Where Postgres itself is reachable: calls then go over pooled connections instead of HTTP. */
  databaseUrl?: string | undefined;
  /** At most this many pooled connections (8). */
  connections?: number;
}

/** Opens the database of a Supabase project, hosted or embedded. */
export function connectDatabase(options: DatabaseOptions): Database {
  const direct = options.databaseUrl
    ? openDirectTransport({ databaseUrl: options.databaseUrl, connections: options.connections })
    : undefined;
  const remoteFetch = options.fetch ?? fetch;
  const transport = direct ?? openHttpTransport({ ...options, fetch: remoteFetch });
  const clientFetch = direct ? directRpcFetch(direct, options, remoteFetch) : remoteFetch;
  const secretClient = makeClient(options, options.secretKey, clientFetch);
  return {
    call: (name, values) => transport.call(name, values),
    secretClient,
    publicClient: () => makeClient(options, options.publishableKey, clientFetch),
    formClient: (cookies) =>
      createServerClient<Tables>(options.supabaseUrl, options.publishableKey, {
        cookies,
        global: { fetch: clientFetch },
        realtime: { transport: webSocketTransport },
      }),
    close: () => closeAll(secretClient, direct),
  };
}

function makeClient(options: DatabaseOptions, key: string, clientFetch: typeof fetch) {
  return createClient<Tables>(options.supabaseUrl, key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: clientFetch },
    realtime: { transport: webSocketTransport, heartbeatIntervalMs: 5000 },
  });
}

async function closeAll(client: SupabaseConnection, direct: DirectTransport | undefined) {
  await client.removeAllChannels();
  await direct?.close();
}
