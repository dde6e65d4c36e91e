import { redirect } from "@remix-run/node";
import type { ChangedThings, ChangeThingsInput } from "~/contract/change";
import { ContractError } from "~/contract/errors";
import { releasedWords } from "~/contract/released-words";
import { changeThings } from "~/domain/changes/operations.server";
import { movePbi } from "~/domain/pbis/operations.server";
import { addDependencyOfRow } from "~/http/dependency-forms.server";
import { doneForNow } from "~/http/form-action.server";
import { pageAction, requireWriter } from "~/http/page-guards.server";
import { readChange, readMove } from "./read-change.server";

/** A visit changes nothing. */
export function loader() {
  return redirect("/dashboard");
}

/** `POST /changes`: what the menus and keys of the lists change, one thing or many. */
export const action = pageAction(async ({ request, context }) => {
  const { actor, principal } = await requireWriter(request, context);
  const form = await request.formData();
  const move = readMove(form);
  if (move) return doneForNow(form, "/dashboard", `${(await movePbi(actor, move)).code} moved`);
  if (form.has("blocked_by")) return addDependencyOfRow(actor, form);
  const input = readChange(form, principal.user_id);
  return doneForNow(form, "/dashboard", changedWords(input, await changeThings(actor, input)));
});

const why: Record<string, string> = {
  status: "a story's status follows its tasks",
  assignee_id: "PBIs have no assignee",
  sprint_id: "only stories can be in a sprint",
  story_id: "only tasks can be in a story",
  pbi_id: "only stories can be in a PBI",
};

/** What was changed and what was not, in one sentence; a change that fits none of them is refused. */
function changedWords(
  { changes }: ChangeThingsInput,
  { changed, skipped, released }: ChangedThings,
): string {
  const [field = ""] = Object.keys(changes);
  const reason = why[field] ?? "this field does not exist here";
  if (changed === 0) throw new ContractError(422, `Nothing was changed: ${reason}.`);
  if (skipped > 0) return `${changed} updated, ${skipped} unchanged: ${reason}`;
  return `${changed === 1 ? "Saved" : `${changed} updated`}${releasedWords(released)}`;
}
