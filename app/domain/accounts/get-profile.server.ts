import { type Profile, profileSchema } from "~/contract/account";
import { type Actor, callAs } from "~/db/rpc.server";

/** The user's own profile (specification: Other records, User). */
export function getProfile(actor: Actor): Promise<Profile> {
  return callAs(actor, "get_profile", {}, profileSchema);
}
