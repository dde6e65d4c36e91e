import { type ChangedThings, type ChangeThingsInput, changedThingsSchema } from "~/contract/change";
import { type Actor, callAs } from "~/db/rpc.server";

/** One change for one or many tasks, stories and PBIs of a product, all of them or none. */
export function changeThings(actor: Actor, input: ChangeThingsInput): Promise<ChangedThings> {
  return callAs(
    actor,
    "change_things",
    { p_things: input.things, p_changes: input.changes },
    changedThingsSchema,
  );
}
