import type { Actor } from "~/db/rpc.server";
import { commentIntents } from "~/features/comments/comments.server";
import { dependencyIntents } from "~/features/dependencies/dependencies.server";
import { moveTaskForm } from "~/features/items/task-forms.server";
import { fileIntents } from "~/http/files.server";
import { doneForNow, mergeEdit, readForm, runForm, runIntent, textOf } from "~/http/form-action.server";
import { getTaskPanel } from "~/nouns/pages/operations.server";
import { deleteTask, editTask, moveTask } from "~/nouns/tasks/operations.server";
import { editTaskInput, moveTaskInput } from "~/wire/tasks/contract";

/** Handles all forms of the task page. */
export async function actOnTask(actor: Actor, taskId: string, form: FormData): Promise<Response> {
  const back = `/tasks/${taskId}`;
  form.set("task_id", taskId);
  return runIntent(form, {
    "set-status": () => moveTaskForm(actor, form, back),
    ...commentIntents(actor, form, back),
    ...fileIntents(actor, form, back),
    ...dependencyIntents(actor, form, { kind: "task", id: taskId, back }),
    edit: () => editTaskForm(actor, form, back),
    "set-labels": async () => {
      await editTask(actor, { task_id: taskId, labels: form.getAll("label").map(String) });
      return doneForNow(form, back, "Saved");
    },
    move: async () => {
      await moveTask(actor, readForm(form, moveTaskInput));
      return doneForNow(form, back, "Moved");
    },
    delete: async () => {
      const { story } = await getTaskPanel(actor, { task_id: taskId });
      await deleteTask(actor, { task_id: taskId });
      return doneForNow(form, `/stories/${story.id}`, "Deleted");
    },
  });
}

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
function editTaskForm(actor: Actor, form: FormData, back: string): Promise<Response> {
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
