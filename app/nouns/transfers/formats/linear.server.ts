import { timeOf, withFacts } from "~/wire/transfers/clean-text";
import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft } from "~/wire/transfers/draft";
import { toState } from "~/wire/transfers/state";
import { addFamilies } from "./family";
import { type CsvRow, readCsv } from "./read-csv.server";

const priorities: Readonly<Record<string, number>> = { urgent: 1, high: 2, medium: 3, low: 4 };

/** Reads Linear's "Export data" CSV: projects become PBIs, issues stories, sub-issues tasks. */
export function readLinear(text: string): ImportDraft {
  const draft = new Draft("linear");
  const csv = readCsv(text, ["ID", "Title", "Status"], "Linear");
  const issues = csv.rows.flatMap((row) => {
    if (row.first("Archived") !== "") {
      draft.leftOut.add("Archived in Linear");
      return [];
    }
    const state = draft.readState({ word: row.first("Status"), told: toldBy(row) });
    if (state === null) {
      draft.leftOut.add("Canceled or a duplicate in Linear");
      return [];
    }
    const parent = row.first("Parent issue", "Parent");
    const pbi = row.first("Project") || "Imported from Linear";
    return [{ pbi, parent, fields: { ...fieldsOf(row), state } }];
  });
  addFamilies(draft, issues);
  csv.countUnread(draft.leftOut);
  return draft.finish();
}

/** A start remains on what was put back. */
function toldBy(row: CsvRow) {
  if (row.first("Canceled", "Duplicate of") !== "") return "dropped";
  if (row.first("Completed") !== "") return "DONE";
  const isStarted = row.first("Started") !== "" && toState(row.first("Status")) !== "TO_DO";
  return isStarted ? "IN_PROGRESS" : undefined;
}

function fieldsOf(row: CsvRow) {
  return {
    id: row.first("ID"),
    title: row.first("Title"),
    description: withFacts(row.first("Description"), {
      Estimate: row.first("Estimate"),
      "Due date": row.first("Due Date"),
      Cycle: row.first("Cycle Name") || row.first("Cycle Number"),
      Milestone: row.first("Project Milestone"),
      "Related to": row.first("Related to"),
    }),
    priority: priorities[row.first("Priority").toLowerCase()] ?? 3,
    assignee: row.first("Assignee"),
    labels: row.first("Labels").split(","),
    blocked_by: idsIn(row.first("Blocked by")),
    created_at: timeOf(row.first("Created")),
  };
}

const idsIn = (cell: string) => cell.split(/[,;\s]+/).filter((id) => id !== "");
