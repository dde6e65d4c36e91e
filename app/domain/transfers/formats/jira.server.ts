import type { ImportDraft } from "~/contract/import";
import { append } from "../append";
import { Draft, type State, stateOf, type TaskFields, timeOf, withComments } from "./draft";
import { rootsOf } from "./family";
import { jiraMarkdown } from "./jira-markdown";
import { type CsvRow, readCsv } from "./read-csv.server";

const priorities: Readonly<Record<string, number>> = {
  ...{ blocker: 1, highest: 1, critical: 1, high: 2, major: 2 },
  ...{ medium: 3, low: 4, minor: 4, lowest: 5, trivial: 5 },
};

const keyOf = (row: CsvRow) => row.first("Issue key");
const isEpic = (row: CsvRow) => row.first("Issue Type").toLowerCase() === "epic";

/**
 * Reads Jira's "Export CSV (all fields)", which repeats column names: epics become PBIs, issues stories, sub-tasks
 * tasks.
 */
export function readJira(text: string): ImportDraft {
  const draft = new Draft("jira");
  const rows = readCsv(text, ["Summary", "Issue key"], "Jira").filter((row) => {
    if (keyOf(row) !== "" && stateOfRow(row) !== null) return true;
    draft.leaveOut(
      keyOf(row) === "" ? "A line without an issue key" : "Closed without being done in Jira",
    );
    return false;
  });
  const keys = new Map(rows.map((row) => [row.first("Issue id") || keyOf(row), keyOf(row)]));
  const epics = new Map(rows.filter(isEpic).map((row) => [keyOf(row), row]));
  const parentOf = (row: CsvRow) => {
    const named = row.first(
      "Parent key",
      "Epic Link",
      "Custom field (Epic Link)",
      "Parent id",
      "Parent",
    );
    return keys.get(named) ?? named;
  };
  const issues = rows.filter((row) => !isEpic(row));
  const known = new Set(issues.map(keyOf));
  const rootOf = rootsOf(
    new Map(
      issues
        .map((row): [string, string] => [keyOf(row), parentOf(row)])
        .filter(([, parent]) => known.has(parent)),
    ),
  );
  const tasksOf = new Map<string, TaskFields[]>();
  for (const row of issues) {
    const root = rootOf(keyOf(row));
    if (root !== keyOf(row)) append(tasksOf, root, fieldsOf(row));
  }
  for (const row of epics.values())
    draft.describe(row.first("Summary"), jiraMarkdown(row.first("Description")));
  for (const row of issues) {
    if (rootOf(keyOf(row)) !== keyOf(row)) continue;
    const epic = epics.get(parentOf(row));
    draft.add(epic?.first("Summary") || "Imported from Jira", {
      ...fieldsOf(row),
      code: keyOf(row),
      assignee: row.first("Assignee"),
      tasks: tasksOf.get(keyOf(row)) ?? [],
    });
  }
  return draft.finish();
}

function fieldsOf(row: CsvRow) {
  const seconds = Number(row.first("Original Estimate", "Σ Original Estimate"));
  return {
    id: keyOf(row),
    title: row.first("Summary"),
    description: withComments(
      jiraMarkdown(row.first("Description")),
      row.all("Comment").map(commentOf),
    ),
    priority: priorities[row.first("Priority").toLowerCase()] ?? 3,
    labels: [...row.all("Labels"), ...row.all("Component/s", "Components")],
    created_at: jiraTime(row.first("Created")),
    estimated_minutes: seconds > 0 ? Math.min(Math.round(seconds / 60), 1_000_000) : null,
    state: stateOfRow(row) ?? "TO_DO",
  };
}

function stateOfRow(row: CsvRow): State | null {
  const resolution = row.first("Resolution");
  if (stateOf(resolution) === null || /^cannot reproduce$/i.test(resolution)) return null;
  return stateOf(row.first("Status"), row.first("Status Category"));
}

/** Format: "23/Nov/26 9:05 AM;account;Text". */
function commentOf(cell: string): string {
  const [time = "", author = "", ...said] = cell.split(";");
  return said.length === 0 ? cell : `**${author}**, ${time}:\n\n${jiraMarkdown(said.join(";"))}`;
}

function jiraTime(value: string): string | undefined {
  const [, day, month, year, rest = ""] = /^(\d{1,2})\/(\w{3})\/(\d{2,4})(.*)$/.exec(value) ?? [];
  if (!day || !month || !year) return timeOf(value);
  return timeOf(`${day} ${month} ${year.length === 2 ? `20${year}` : year}${rest} UTC`);
}
