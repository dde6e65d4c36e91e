import { type Principal, principalSchema } from "~/contract/account";
import { type Actor, callService } from "~/db/rpc.server";

/** Who is behind a credential, read from the database now; 401 when nobody is (specification: Authentication). */
export function authenticate(actor: Actor): Promise<Principal> {
  return callService(
    actor.database,
    "authenticate",
    { p_credential: actor.credential },
    principalSchema,
  );
}
