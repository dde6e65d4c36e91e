import { timeOf, withComments, withFacts } from "~/wire/transfers/clean-text";
import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft } from "~/wire/transfers/draft";
import { toState, type WorkState } from "~/wire/transfers/state";
import { append } from "../append";
import { addFamilies } from "./family";
import { type CsvRow, readCsv } from "./read-csv.server";

const priorities: Readonly<Record<string, number>> = {
  blocker: 1,
  highest: 1,
  critical: 1,
  high: 2,
  major: 2,
  medium: 3,
  low: 4,
  minor: 4,
  lowest: 5,
  trivial: 5,
};

const keyOf = (row: CsvRow) => row.first("Issue key");
const isEpic = (row: CsvRow) => row.first("Issue Type").toLowerCase() === "epic";

/** Resolutions of what was closed without being done. As a status, some of these words mean something else. */
const droppingResolutions = new Set([
  "not a problem",
  "not a bug",
  "not an issue",
  "not applicable",
  "known error",
  "by design",
  "as designed",
  "works as designed",
  "works for me",
  "cannot reproduce",
  "can't reproduce",
  "unable to reproduce",
  "not reproducible",
  "incomplete",
  "information provided",
  "auto closed",
  "later",
  "remind",
  "deferred",
  "postponed",
  "out of scope",
  "out of date",
  "outdated",
  "superseded",
  "withdrawn",
]);

/** "Export CSV (all fields)", which repeats column names: epics become PBIs, issues stories, sub-tasks tasks. */
export function readJira(text: string): ImportDraft {
  const draft = new Draft("jira");
  const csv = readCsv(text, ["Summary", "Issue key"], "Jira");
  const rows = csv.rows.flatMap((row) => {
    if (keyOf(row) === "") {
      draft.leftOut.add("A line without an issue key");
      return [];
    }
    const state = stateOfRow(draft, row);
    if (state === null) draft.leftOut.add("Closed without being done in Jira");
    return state === null ? [] : [{ row, state }];
  });
  const keys = new Map(rows.map(({ row }) => [row.first("Issue id") || keyOf(row), keyOf(row)]));
  const epics = new Map(rows.filter(({ row }) => isEpic(row)).map(({ row }) => [keyOf(row), row]));
  for (const row of epics.values()) draft.describe(row.first("Summary"), descriptionOf(row));
  const issues = rows.filter(({ row }) => !isEpic(row));
  const links = csv.columns.filter((name) => /^(?:in|out)ward issue link \(/.test(name));
  const waits = blockersOf(
    links,
    issues.map(({ row }) => row),
  );
  addFamilies(
    draft,
    issues.map(({ row, state }) => {
      const named = row.first(...parentColumns);
      const parent = keys.get(named) ?? named;
      const pbi = epics.get(parent)?.first("Summary") || "Imported from Jira";
      const fields = { ...fieldsOf(row, links), blocked_by: waits.get(keyOf(row)) ?? [], state };
      return { pbi, parent, fields };
    }),
  );
  csv.countUnread(draft.leftOut);
  return draft.finish();
}

const parentColumns = ["Parent key", "Epic Link", "Custom field (Epic Link)", "Parent id", "Parent"];

/** Either end of "blocks" may be the one that names the other. */
const isBlocking = (column: string) => /\((?:blocks|blocker)\)$/.test(column);

function blockersOf(links: readonly string[], rows: readonly CsvRow[]): Map<string, string[]> {
  const waits = new Map<string, string[]>();
  for (const column of links.filter(isBlocking))
    for (const row of rows)
      for (const other of row.all(column))
        if (column.startsWith("inward")) append(waits, keyOf(row), other);
        else append(waits, other, keyOf(row));
  return waits;
}

const points = ["Story Points", "Custom field (Story Points)", "Custom field (Story point estimate)"];

function descriptionOf(row: CsvRow, links: readonly string[] = []): string {
  const other = links.filter((column) => !isBlocking(column));
  const text = withFacts(jiraMarkdown(row.first("Description")), {
    "Story points": row.first(...points),
    "Due date": row.first("Due Date"),
    "Fix version": row.all("Fix Version/s", "Fix versions").join(", "),
    Sprint: row.all("Sprint").join(", "),
    ...Object.fromEntries(other.map((name) => [name, row.all(name).join(", ")])),
  });
  return withComments(text, row.all("Comment").map(commentOf));
}

function fieldsOf(row: CsvRow, links: readonly string[]) {
  const seconds = Number(row.first("Original Estimate", "Σ Original Estimate"));
  return {
    id: keyOf(row),
    title: row.first("Summary"),
    description: descriptionOf(row, links),
    priority: priorities[row.first("Priority").toLowerCase()] ?? 3,
    assignee: row.first("Assignee"),
    labels: [...row.all("Labels"), ...row.all("Component/s", "Components")],
    created_at: jiraTime(row.first("Created")),
    estimated_minutes: seconds > 0 ? Math.min(Math.round(seconds / 60), 1_000_000) : null,
  };
}

/** Jira's own order: the resolution, the day of it, the category of the status. */
function stateOfRow(draft: Draft, row: CsvRow): WorkState | null {
  const word = row.first("Status");
  const category = row.first("Status Category");
  const byCategory = category === "" ? undefined : toState(category);
  const resolution = row.first("Resolution").replaceAll("’", "'");
  if (resolution === "" || /^unresolved$/i.test(resolution))
    return draft.readState({ word, told: row.first("Resolved") === "" ? byCategory : "DONE" });
  const named = toState(resolution);
  const isDropped = named === "dropped" || droppingResolutions.has(resolution.toLowerCase());
  return draft.readState({
    word,
    told: isDropped ? "dropped" : "DONE",
    isKnown: isDropped || named === "DONE" || byCategory === "DONE",
    shown: `${word}, ${resolution}`,
  });
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

/** Converts common Jira wiki markup to Markdown, line by line. Rare markup stays as it is. */
export function jiraMarkdown(text: string): string {
  let isCode = false;
  return text
    .split("\n")
    .map((line) => {
      const fence = /^\{(?:code|noformat)(?::(\w+)\b)?[^}]*\}$/.exec(line.trim());
      if (fence) {
        isCode = !isCode;
        return isCode ? `\`\`\`${fence[1] ?? ""}` : "```";
      }
      return isCode ? line : lineOf(line);
    })
    .join("\n");
}

function lineOf(line: string): string {
  const heading = /^h([1-6])\.\s+(.*)$/s.exec(line);
  if (heading) return `${"#".repeat(Number(heading[1]))} ${inline(heading[2] ?? "")}`;
  const item = /^([*#-]{1,6})\s+(.*)$/s.exec(line);
  if (!item) return inline(line);
  const [, marks = "", said = ""] = item;
  return `${"  ".repeat(marks.length - 1)}${marks.endsWith("#") ? "1." : "-"} ${inline(said)}`;
}

function inline(text: string): string {
  return text
    .replace(/\{\{([^{}]{1,500})\}\}/g, "`$1`")
    .replace(/\[([^[\]|]{1,500})\|(https?:[^[\]|\s]{1,2000})\]/g, "[$1]($2)")
    .replace(/(^|\s)\*([^*\s][^*]{0,500})\*(?=\s|[.,:;!?]|$)/g, "$1**$2**");
}
