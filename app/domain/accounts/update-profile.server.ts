import { type Profile, type ProfileChanges, profileSchema } from "~/contract/account";
import { type Actor, callAs } from "~/db/rpc.server";

/** Changes user name, worker quota threshold or theme. */
export function updateProfile(actor: Actor, changes: ProfileChanges): Promise<Profile> {
  return callAs(
    actor,
    "update_profile",
    {
      p_username: changes.username ?? null,
      p_min_quota_pct: changes.min_quota_pct ?? null,
      p_theme: changes.theme ?? null,
    },
    profileSchema,
  );
}
