import { redirect } from "@remix-run/node";
import { addDependencyOfRow } from "~/features/dependencies/dependencies.server";
import { doneForNow, textOf } from "~/http/form-action.server";
import { writeAction } from "~/http/page-guards.server";
import { changeThings } from "~/nouns/changes/operations.server";
import { movePbi } from "~/nouns/pbis/operations.server";
import { type ChangedThings, type ChangeThingsInput, changeThingsInput } from "~/wire/changes/contract";
import { releasedWords } from "~/wire/dependencies/contract";
import { ContractError } from "~/wire/errors";
import { type MovePbiInput, movePbiInput } from "~/wire/pbis/contract";

/** GET changes nothing. */
export function loader() {
  return redirect("/dashboard");
}

/** `POST /changes`: changes from the menus and keys of lists, for one or more items. */
export const action = writeAction(async ({ actor, principal, form }) => {
  const move = readMove(form);
  if (move) return doneForNow(form, "/dashboard", `${(await movePbi(actor, move)).code} moved`);
  if (form.has("blocked_by")) return addDependencyOfRow(actor, form);
  const input = readChange(form, principal.user_id);
  return doneForNow(form, "/dashboard", changedText(input, await changeThings(actor, input)));
});

const why: Record<string, string> = {
  status: "a story's status follows its tasks",
  assignee_id: "PBIs have no assignee",
  sprint_id: "only stories can be in a sprint",
  story_id: "only tasks can be in a story",
  pbi_id: "only stories can be in a PBI",
  toggle_label: "PBIs have no labels",
  agent: "only stories and tasks name an agent",
  model: "only stories and tasks name a model",
  effort: "only stories and tasks have an effort",
};

/** Says in one sentence what was changed and what was not. If no item could change, refuses with 422. */
function changedText({ changes }: ChangeThingsInput, { changed, skipped, released }: ChangedThings): string {
  const [field = ""] = Object.keys(changes);
  const reason = why[field] ?? "this field does not exist here";
  if (changed === 0) throw new ContractError(422, `Nothing was changed: ${reason}.`);
  if (skipped > 0) return `${changed} updated, ${skipped} unchanged: ${reason}`;
  return `${changed === 1 ? "Saved" : `${changed} updated`}${releasedWords(released)}`;
}

const names = ["status", "title", "story_id", "pbi_id", "toggle_label"] as const;
/** An empty value clears these fields. */
const emptied = ["assignee_id", "sprint_id", "agent", "model", "effort"] as const;

/** Reads a menu's form: `thing` (kind:id) per item, and the fields to change. */
function readChange(form: FormData, me: string): ChangeThingsInput {
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
  throw new ContractError(422, issue?.message ?? "The form is incomplete. Reload the page and fill it in again.");
}

/** Reads the move of a PBI before or after another one; null if the form changes something else. */
function readMove(form: FormData): MovePbiInput | null {
  if (!form.has("before_id") && !form.has("after_id")) return null;
  const [kind, pbi_id] = String(form.get("thing")).split(":");
  const position = form.has("before_id")
    ? { before_id: textOf(form, "before_id") }
    : { after_id: textOf(form, "after_id") };
  const read = movePbiInput.safeParse({ pbi_id, ...position });
  if (read.success && kind === "pbi") return read.data;
  throw new ContractError(422, "Move one PBI before or after another PBI.");
}
