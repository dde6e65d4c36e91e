import { redirect } from "@remix-run/node";
import { changeThings } from "~/domain/changes/operations.server";
import { movePbi } from "~/domain/pbis/operations.server";
import { addDependencyOfRow } from "~/http/dependency-forms.server";
import { doneForNow } from "~/http/form-action.server";
import { pageAction, requireWriter } from "~/http/page-guards.server";
import { changedWords } from "./changed-words";
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
  if (move) return doneForNow(form, "/dashboard", `${(await movePbi(actor, move)).code} has moved`);
  if (form.has("blocked_by")) return addDependencyOfRow(actor, form);
  const input = readChange(form, principal.user_id);
  return doneForNow(form, "/dashboard", changedWords(input, await changeThings(actor, input)));
});
