import { noInput, operation } from "~/nouns/operation.server";
import { changedThingsSchema, changeThingsInput, undoneSchema } from "~/wire/changes/contract";

/** Applies one change to many tasks, stories and PBIs of a product: all of them or none. */
export const changeThings = operation("change_things", changeThingsInput, changedThingsSchema);

/** Undoes this session's last change within 30 seconds; refused if someone changed the item since. */
export const undoChange = operation("undo_change", noInput, undoneSchema);
