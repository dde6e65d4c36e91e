import { redirect } from "@remix-run/node";
import { undoChange } from "~/domain/changes/operations.server";
import { done } from "~/http/form-action.server";
import { pageAction, requireWriter } from "~/http/page-guards.server";
import { undoneWords } from "./undone-words";

/** A visit changes nothing. */
export function loader() {
  return redirect("/dashboard");
}

/** `POST /undo`: takes back the last change of this session. */
export const action = pageAction(async ({ request, context }) => {
  const { actor } = await requireWriter(request, context);
  const form = await request.formData();
  return done(form, "/dashboard", undoneWords(await undoChange(actor)));
});
