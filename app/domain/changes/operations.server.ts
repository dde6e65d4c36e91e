import { changedThingsSchema, changeThingsInput, undoneSchema } from "~/contract/change";
import { noInput, operation } from "../operation.server";

/** One change for one or many tasks, stories and PBIs of a product, all of them or none. */
export const changeThings = operation("change_things", changeThingsInput, changedThingsSchema);

/** Takes back the last thing that this session did within 30 seconds; refused when somebody changed it since. */
export const undoChange = operation("undo_change", noInput, undoneSchema);
