import { z } from "zod";
import { type ManagedUser, managedUserSchema } from "~/contract/account";
import { type Actor, callAs } from "~/db/rpc.server";

/** 100 users by name, after the given one; administrators only. */
export function listUsers(actor: Actor, after: string | null = null): Promise<ManagedUser[]> {
  return callAs(actor, "admin_list_users", { p_after: after }, z.array(managedUserSchema));
}
