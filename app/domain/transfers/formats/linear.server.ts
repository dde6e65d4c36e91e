import type { ImportDraft } from "~/contract/import";
import { append } from "../append";
import { Draft, stateOf, type TaskFields, timeOf } from "./draft";
import { rootsOf } from "./family";
import { type CsvRow, readCsv } from "./read-csv.server";

const priorities: Readonly<Record<string, number>> = { urgent: 1, high: 2, medium: 3, low: 4 };

/** Reads Linear's "Export data" CSV: projects become PBIs, issues stories, sub-issues tasks. */
export function readLinear(text: string): ImportDraft {
  const draft = new Draft("linear");
  const kept = readCsv(text, ["ID", "Title", "Status"], "Linear").filter((row) => {
    if (row.first("Archived") !== "") draft.leaveOut("Archived in Linear");
    else if (row.first("Canceled") !== "" || stateOf(row.first("Status")) === null)
      draft.leaveOut("Canceled or a duplicate in Linear");
    else return true;
    return false;
  });
  const known = new Set(kept.map((row) => row.first("ID")));
  const parents = new Map(
    kept
      .map((row): [string, string] => [row.first("ID"), row.first("Parent issue", "Parent")])
      .filter(([, parent]) => known.has(parent)),
  );
  const rootOf = rootsOf(parents);
  const tasksOf = new Map<string, TaskFields[]>();
  for (const row of kept) {
    const id = row.first("ID");
    const root = rootOf(id);
    if (root === id) continue;
    append(tasksOf, root, fieldsOf(row));
  }
  for (const row of kept) {
    const id = row.first("ID");
    if (rootOf(id) !== id) continue;
    draft.add(row.first("Project") || "Imported from Linear", {
      ...fieldsOf(row),
      code: id,
      assignee: row.first("Assignee"),
      tasks: tasksOf.get(id) ?? [],
    });
  }
  return draft.finish();
}

function fieldsOf(row: CsvRow) {
  const estimate = row.first("Estimate");
  const description = row.first("Description");
  return {
    id: row.first("ID"),
    title: row.first("Title"),
    description: estimate === "" ? description : `${description}\n\nEstimate: ${estimate}`,
    priority: priorities[row.first("Priority").toLowerCase()] ?? 3,
    labels: row.first("Labels").split(","),
    created_at: timeOf(row.first("Created")),
    state: stateOf(row.first("Status"), row.first("Completed") ? "done" : null) ?? "TO_DO",
  };
}
