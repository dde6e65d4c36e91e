import { releasedWords } from "~/contract/released-words";
import { setTaskStatusInput } from "~/contract/task";
import type { Actor } from "~/db/rpc.server";
import { setTaskStatus } from "~/domain/tasks/operations.server";
import { columnLabel } from "~/features/board/columns";
import { doneForNow, readForm } from "./form-action.server";

/** Moves a task to another status from whichever page, and says what that freed. */
export async function moveTaskForm(actor: Actor, form: FormData, back: string): Promise<Response> {
  const input = readForm(form, setTaskStatusInput);
  const { code, status, released } = await setTaskStatus(actor, input);
  return doneForNow(form, back, `${code} is in ${columnLabel(status)}${releasedWords(released)}`);
}
