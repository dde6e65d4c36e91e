import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database as Tables } from "./types";

/** The only door to Supabase: one SQL function per call, and the clients for Auth and Realtime. */
export interface Database {
  /** Calls a SQL function with the secret key and returns its JSON text. Throws `ContractError` for refusals. */
  call(functionName: string, functionArguments: Record<string, unknown>): Promise<string>;
  /** supabase-js with the secret key: Auth administration, Storage, Realtime upstream. */
  secretClient: SupabaseClient<Tables>;
  /** A fresh supabase-js client with the publishable key, for password sign-in. */
  publicClient(): SupabaseClient<Tables>;
  close(): Promise<void>;
}
