import { z } from "zod";
import type { UserChanges } from "~/contract/account";
import { type Actor, callAs } from "~/db/rpc.server";

/** Changes role, demo flag or password duty of a user; administrators only. */
export async function updateUser(
  actor: Actor,
  userId: string,
  changes: UserChanges,
): Promise<void> {
  await callAs(
    actor,
    "admin_update_user",
    {
      p_user_id: userId,
      p_role: changes.role ?? null,
      p_is_demo: changes.is_demo ?? null,
      p_must_reset_password: changes.must_reset_password ?? null,
    },
    z.object({ id: z.uuid() }),
  );
}
