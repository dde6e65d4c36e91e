import type { Actor } from "~/db/rpc.server";
import { type Principal, principalSchema } from "./contract";

/** Returns the user behind a credential, read from the database now, or 401 (specification: Authentication). */
export async function authenticate({ database, credential }: Actor): Promise<Principal> {
  return principalSchema.parse(JSON.parse(await database.authenticate(credential)));
}
