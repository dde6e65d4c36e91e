import type { Actor } from "~/db/rpc.server";
import { doneForNow, runForm, textOf } from "~/http/form-action.server";
import { mergeEdit } from "~/http/merge-edit.server";
import { editTaskInput } from "~/nouns/tasks/contract";
import { editTask } from "~/nouns/tasks/operations.server";

const choices = ["verify_only", "requires_opus"] as const;

/** What an empty field means: null where a task can have none. */
const emptied = {
  description: "" as const,
  ...Object.fromEntries(
    Object.entries(editTaskInput.shape).flatMap(([name, field]) =>
      field.safeParse(null).success ? [[name, null]] : [],
    ),
  ),
};

/** Saves the submitted fields of a task. Booleans arrive as "yes" or "no". */
export function editTaskForm(actor: Actor, form: FormData, back: string): Promise<Response> {
  const chosen: { [Name in (typeof choices)[number]]?: boolean } = {};
  for (const name of choices) {
    if (form.has(name)) chosen[name] = textOf(form, name) === "yes";
    form.delete(name);
  }
  return runForm(
    form,
    editTaskInput,
    async (input) => {
      await mergeEdit((edit) => editTask(actor, edit), { ...input, ...chosen });
      return doneForNow(form, back, "Saved");
    },
    emptied,
  );
}
