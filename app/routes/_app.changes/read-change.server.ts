import { type ChangeThingsInput, changeThingsInput } from "~/contract/change";
import { ContractError } from "~/contract/errors";
import { type MovePbiInput, movePbiInput } from "~/contract/pbi";
import { textOf } from "~/http/form-action.server";

const names = ["status", "title", "story_id", "pbi_id"] as const;
/** Fields that are emptied by an empty choice. */
const emptied = ["assignee_id", "sprint_id"] as const;

/** The form of a menu: `thing` (kind:id) for each, and the fields that change. */
export function readChange(form: FormData, me: string): ChangeThingsInput {
  const changes: Record<string, unknown> = {};
  for (const name of names) if (form.has(name)) changes[name] = textOf(form, name);
  for (const name of emptied) if (form.has(name)) changes[name] = textOf(form, name) || null;
  if (changes.assignee_id === "me") changes.assignee_id = me;
  if (form.has("priority")) changes.priority = Number(textOf(form, "priority"));
  if (form.has("confirmed")) changes.confirmed = true;
  const things = form.getAll("thing").map((thing) => {
    const [kind, id] = String(thing).split(":");
    return { kind, id };
  });
  const read = changeThingsInput.safeParse({ things, changes });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ContractError(
    422,
    issue?.message ?? "The form is incomplete. Reload the page and fill it in again.",
  );
}

/** A PBI that goes directly before or after another one; null where the form changes something else. */
export function readMove(form: FormData): MovePbiInput | null {
  if (!form.has("before_id") && !form.has("after_id")) return null;
  const [kind, pbi_id] = String(form.get("thing")).split(":");
  const place = form.has("before_id")
    ? { before_id: textOf(form, "before_id") }
    : { after_id: textOf(form, "after_id") };
  const read = movePbiInput.safeParse({ pbi_id, ...place });
  if (read.success && kind === "pbi") return read.data;
  throw new ContractError(422, "Move one PBI before or after another PBI.");
}
