import type { ChangedThings, ChangeThingsInput } from "~/contract/change";
import { ContractError } from "~/contract/errors";
import { releasedWords } from "~/contract/released-words";

const why: Record<string, string> = {
  status: "the status of a story follows its tasks",
  assignee_id: "a PBI is nobody's",
  sprint_id: "only stories are in a sprint",
  story_id: "only tasks are in a story",
  pbi_id: "only stories are in a PBI",
};

/** What was changed and what was not, in one sentence; a change that fits none of them is refused. */
export function changedWords(
  { changes }: ChangeThingsInput,
  { changed, skipped, released }: ChangedThings,
): string {
  const [field = ""] = Object.keys(changes);
  const reason = why[field] ?? "it has no such field";
  if (changed === 0) throw new ContractError(422, `Nothing was changed: ${reason}.`);
  if (skipped > 0) return `${changed} changed, ${skipped} left as they were: ${reason}`;
  return `${changed === 1 ? "Saved" : `${changed} changed`}${releasedWords(released)}`;
}
