import { moveTaskInput, setTaskStatusInput } from "~/contract/task";
import type { Actor } from "~/db/rpc.server";
import { getTaskPage } from "~/domain/pages/get-task-page.server";
import { deleteTask } from "~/domain/tasks/delete-task.server";
import { moveTask } from "~/domain/tasks/move-task.server";
import { setTaskStatus } from "~/domain/tasks/set-task-status.server";
import { addDependencyForm, removeDependencyForm } from "~/http/dependency-forms.server";
import { doneForNow, readForm, runIntent } from "~/http/form-action.server";
import { editTaskForm } from "./edit-task-form.server";

/** Everything that the task page changes. */
export async function actOnTask(actor: Actor, taskId: string, request: Request): Promise<Response> {
  const form = await request.formData();
  const back = `/tasks/${taskId}`;
  form.set("task_id", taskId);
  return runIntent(form, {
    "set-status": async () => {
      await setTaskStatus(actor, readForm(form, setTaskStatusInput));
      return doneForNow(form, back, "Moved");
    },
    "add-dependency": () => addDependencyForm(actor, form, { kind: "task", id: taskId, back }),
    "remove-dependency": () => removeDependencyForm(actor, form, back),
    edit: () => editTaskForm(actor, form, back),
    move: async () => {
      await moveTask(actor, readForm(form, moveTaskInput));
      return doneForNow(form, back, "Moved");
    },
    delete: async () => {
      const { story } = await getTaskPage(actor, taskId);
      await deleteTask(actor, { task_id: taskId });
      return doneForNow(form, `/stories/${story.id}`, "Deleted");
    },
  });
}
