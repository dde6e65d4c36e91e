import type { Actor } from "~/db/rpc.server";
import { done, doneForNow, readForm, textOf } from "~/http/form-action.server";
import { createTask, setTaskStatus } from "~/nouns/tasks/operations.server";
import { releasedWords } from "~/wire/dependencies/contract";
import { ContractError } from "~/wire/errors";
import { createTaskInput, setTaskStatusInput } from "~/wire/tasks/contract";
import { columnLabel } from "../board/board-settings";

/** Moves a task to another status from any page, and says which items that unblocked. */
export async function moveTaskForm(actor: Actor, form: FormData, back: string): Promise<Response> {
  const input = readForm(form, setTaskStatusInput);
  const { code, status, released } = await setTaskStatus(actor, input);
  return doneForNow(form, back, `${code} is in ${columnLabel(status)}${releasedWords(released)}`);
}

/** Creates a task in a board column. If it may not go there, it stays in To do and the refusal says so. */
export async function createCardForm(actor: Actor, form: FormData, back: string): Promise<Response> {
  const task = await createTask(actor, readForm(form, createTaskInput));
  const wanted = { task_id: task.id, status: textOf(form, "status") || "todo" };
  const { status } = setTaskStatusInput.parse(wanted);
  try {
    if (status !== "todo") await setTaskStatus(actor, { task_id: task.id, status });
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const refusal = `${task.code} was created in To do: ${error.message}`;
    throw new ContractError(error.status, refusal);
  }
  return done(form, back, `${task.code} created`);
}
