import { type Principal, principalSchema } from "~/contract/account";
import type { Actor } from "~/db/rpc.server";

/** Who is behind a credential, read from the database now; 401 when nobody is (specification: Authentication). */
export async function authenticate({ database, credential }: Actor): Promise<Principal> {
  return principalSchema.parse(JSON.parse(await database.authenticate(credential)));
}
