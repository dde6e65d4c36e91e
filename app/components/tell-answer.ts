import type { ActionAnswer } from "./action-form";
import { showToast } from "./toast";

/** Shows what an action answered: why not, or what was done and that it can be taken back. */
export function tellAnswer({ error, message, undo, begin }: ActionAnswer): void {
  if (typeof error === "string") showToast(error, "failed", { begin });
  else if (message) showToast(message, "done", { undo });
}
