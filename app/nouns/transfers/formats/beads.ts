import { z } from "zod";
import { ContractError } from "~/wire/errors";
import { timeOf, withComments, withFacts } from "~/wire/transfers/clean-text";
import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft } from "~/wire/transfers/draft";
import { addFamilies, rootsOf } from "./family";
import { readJson } from "./read-json";

const dependencySchema = z.looseObject({
  issue_id: z.string().optional(),
  depends_on_id: z.string(),
  type: z.string().default("blocks"),
});

const issueSchema = z.looseObject({
  id: z.string().min(1),
  title: z.string(),
  status: z.string().default("open"),
  issue_type: z.string().default("task"),
  priority: z.int().min(0).max(1_000).default(2),
  description: z.string().nullish(),
  design: z.string().nullish(),
  acceptance_criteria: z.string().nullish(),
  notes: z.string().nullish(),
  assignee: z.string().nullish(),
  labels: z.array(z.string()).nullish(),
  dependencies: z.array(dependencySchema).nullish(),
  comments: z
    .array(z.looseObject({ author: z.string().nullish(), text: z.string(), created_at: z.string().nullish() }))
    .nullish(),
  estimated_minutes: z.int().min(0).max(1_000_000).nullish(),
  external_ref: z.string().nullish(),
  due_at: z.string().nullish(),
  close_reason: z.string().nullish(),
  created_at: z.string().optional(),
});

type Issue = z.output<typeof issueSchema>;

/** Fields of an epic that a PBI keeps. Its state follows its stories. */
const epicSchema = issueSchema.omit({ assignee: true, labels: true, dependencies: true, estimated_minutes: true });

const headings = { design: "Design", acceptance_criteria: "Acceptance Criteria", notes: "Notes" } as const;

/** Kinds of work; beads keeps messages, gates and agents as issues too. */
const work = ["task", "bug", "feature", "epic", "chore", "docs", "decision", "story", "spike"];

/** Words of beads that others do not use. Blockers tell what is blocked. */
const states = { blocked: "TO_DO", deferred: "TO_DO", hooked: "IN_PROGRESS" } as const;

const mostLines = 30_000;

/** Reads the issues.jsonl of beads: epics become PBIs, issues stories, and what is below them tasks. */
export function readBeads(text: string): ImportDraft {
  const draft = new Draft("beads");
  const issues = newestOf(draft, issuesOf(text)).filter((issue) => isWork(draft, issue));
  const epics = new Map<string, Issue>();
  for (const issue of issues) if (issue.issue_type === "epic") epics.set(issue.id, issue);
  for (const epic of epics.values()) {
    draft.describe(epic.title, fullText(epic, ["design", "acceptance_criteria", "notes"]));
    draft.leftOut.addUnread("epic.", epic, epicSchema.shape);
  }
  const parents = new Map(issues.map((issue) => [issue.id, parentOf(issue)]));
  // Up to the nearest epic.
  const topOf = rootsOf((id: string) => (epics.has(id) ? undefined : parents.get(id)));
  const families = issues.flatMap((issue) => {
    const state = epics.has(issue.id) ? null : draft.readState(standingOf(issue.status));
    if (state === null) return [];
    draft.leftOut.addUnread("", issue, issueSchema.shape);
    const pbi = epics.get(topOf(issue.id))?.title ?? "Imported from beads";
    return [{ pbi, parent: parents.get(issue.id) ?? "", fields: { ...fieldsOf(draft, issue), state } }];
  });
  addFamilies(draft, families);
  return draft.finish();
}

function issuesOf(text: string): Issue[] {
  const lines = text.split("\n", mostLines + 1);
  if (lines.length > mostLines)
    throw new ContractError(422, `The file has more than ${mostLines} lines. Import it in parts.`);
  return lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [readJson(line, issueSchema, `an issue of beads (line ${index + 1})`)],
  );
}

/** A merge of two branches leaves an issue twice: the newest counts, in the place of the first. */
function newestOf({ leftOut }: Draft, issues: readonly Issue[]): Issue[] {
  const newest = new Map<string, Issue>();
  const time = (issue: Issue) => Date.parse(`${issue.updated_at}`) || 0;
  for (const issue of issues) {
    const known = newest.get(issue.id);
    if (known) leftOut.add("Older lines of the same issue", 1, issue.id);
    if (!known || time(issue) >= time(known)) newest.set(issue.id, issue);
  }
  return [...newest.values()];
}

function isWork(draft: Draft, { id, status, issue_type }: Issue): boolean {
  if (status === "tombstone") draft.leftOut.add("Deleted in beads", 1, id);
  else if (!work.includes(issue_type)) draft.leftOut.add("Issues that are not work", 1, issue_type);
  else return true;
  return false;
}

function standingOf(word: string) {
  const told = Object.entries(states).find(([known]) => known === word)?.[1];
  return { word, told };
}

/** Children name their parent, and have its id before the last dot. */
function parentOf({ id, dependencies }: Issue): string {
  const named = dependencies?.find(({ type }) => type === "parent-child")?.depends_on_id;
  return named ?? (/\.\d+$/.test(id) ? id.slice(0, id.lastIndexOf(".")) : "");
}

/** The description, followed by all that has no field here. */
function fullText(issue: Issue, sections: readonly (keyof typeof headings)[]): string {
  const texts = sections.flatMap((name) => {
    const text = issue[name]?.trim();
    return text ? `## ${headings[name]}\n\n${text}` : [];
  });
  const facts = {
    "External reference": issue.external_ref ?? "",
    "Due date": issue.due_at ?? "",
    "Close reason": issue.close_reason ?? "",
  };
  return withComments(
    withFacts([issue.description ?? "", ...texts].join("\n\n"), facts),
    (issue.comments ?? []).map(
      ({ author, created_at, text }) => `**${author || "someone"}**${created_at ? `, ${created_at}` : ""}:\n\n${text}`,
    ),
  );
}

function fieldsOf(draft: Draft, issue: Issue) {
  const blockers: string[] = [];
  for (const { issue_id = issue.id, depends_on_id, type } of issue.dependencies ?? []) {
    if (type === "blocks" && issue_id === issue.id) blockers.push(depends_on_id);
    else if (type !== "parent-child") draft.leftOut.add("Links that block nothing", 1, type);
  }
  return {
    id: issue.id,
    title: issue.title,
    description: fullText(issue, ["notes"]),
    acceptance_criteria: issue.acceptance_criteria ?? "",
    implementation_plan: issue.design || null,
    // 0 is the most urgent there, and 2 is usual.
    priority: issue.priority + 1,
    assignee: issue.assignee,
    // Put off, which no status here says.
    labels: [...(issue.labels ?? []), ...(issue.status === "deferred" ? ["deferred"] : [])],
    blocked_by: blockers,
    estimated_minutes: issue.estimated_minutes ?? null,
    created_at: timeOf(issue.created_at),
  };
}
