import { redirect } from "@remix-run/node";
import { done } from "~/http/form-action.server";
import { writeAction } from "~/http/page-guards.server";
import { undoChange } from "~/nouns/changes/operations.server";
import type { Undone } from "~/wire/changes/contract";
import { ContractError } from "~/wire/errors";

/** GET changes nothing. */
export function loader() {
  return redirect("/dashboard");
}

/** `POST /undo`: undoes this session's last change. */
export const action = writeAction(async ({ actor, form }) =>
  done(form, "/dashboard", await undoChange(actor).then(undoneText, nothingToUndo)),
);

/** Anyone who presses the key once too often has done nothing wrong. */
function nothingToUndo(error: unknown): string {
  if (error instanceof ContractError && error.message.startsWith("Nothing to undo")) return error.message;
  throw error;
}

const fieldLabels: Record<string, string> = {
  status: "status",
  is_blocked: "block",
  priority: "priority",
  title: "title",
  description: "description",
  acceptance_criteria: "acceptance criteria",
  implementation_plan: "plan",
  assignee_id: "assignee",
  label_ids: "labels",
  agent: "agent",
  model: "model",
  effort: "effort",
  sprint_id: "sprint",
  story_id: "story",
  pbi_id: "PBI",
  sort_order: "order",
  code: "code",
  in_triage: "triage",
  merged_at: "merge state",
};

function undoneText({ changes }: Undone): string {
  const back = changes.filter(({ is_back }) => is_back).map(({ code }) => code);
  if (back.length > 0) return `${named(back)} restored`;
  const codes = [...new Set(changes.map(({ code }) => code))];
  const fields = [...new Set(changes.flatMap((change) => change.fields))].map(
    (field) => fieldLabels[field] ?? "settings",
  );
  return `Undone: ${[...new Set(fields)].join(", ")} of ${named(codes)}`;
}

function named(codes: readonly string[]): string {
  const [first = "", second] = codes;
  if (codes.length === 2) return `${first} and ${second}`;
  return codes.length > 1 ? `${first} and ${codes.length - 1} more` : first;
}
