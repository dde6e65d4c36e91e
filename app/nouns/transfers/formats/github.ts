import { z } from "zod";
import { type Item, isOfForm, readItems, stateOfBox } from "~/wire/transfers/boxes";
import { timeOf, withComments, withFacts } from "~/wire/transfers/clean-text";
import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft } from "~/wire/transfers/draft";
import type { WorkState } from "~/wire/transfers/state";
import { readJson } from "./read-json";

const named = z.object({ name: z.string() });

/**
 * Output of `gh issue list --json` or of the REST interface, which writes some names otherwise. Only number and title
 * are required.
 */
const issueSchema = z.looseObject({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string().default("OPEN"),
  stateReason: z.string().nullish(),
  state_reason: z.string().nullish(),
  pull_request: z.unknown().optional(),
  isPullRequest: z.boolean().default(false),
  labels: z.array(z.union([named, z.string().transform((name) => ({ name }))])).default([]),
  assignees: z.array(z.object({ login: z.string() })).default([]),
  milestone: z
    .object({
      title: z.string(),
      description: z.string().nullish(),
      dueOn: z.string().nullish(),
      due_on: z.string().nullish(),
    })
    .nullish(),
  createdAt: z.string().optional(),
  created_at: z.string().optional(),
  url: z.string().optional(),
  html_url: z.string().optional(),
  comments: z
    .union([
      z.number(),
      z.array(
        z.object({
          author: z.object({ login: z.string() }).nullish(),
          body: z.string(),
          createdAt: z.string().optional(),
        }),
      ),
    ])
    .default([]),
});

type Issue = z.output<typeof issueSchema>;

/** Reads GitHub issues: milestones become PBIs, issues stories, and checkboxes of task lists tasks. */
export function readGithub(text: string): ImportDraft {
  const issues = readJson(
    text,
    z.array(issueSchema),
    "the list that gh issue list --json number,title,body,state,labels,… prints",
  );
  const draft = new Draft("github");
  const work = issues.flatMap((issue) => {
    const state = stateOfIssue(draft, issue);
    return state === null ? [] : [{ issue, state }];
  });
  const ids = new Map(work.map(({ issue }) => [keyOf(issue, `#${issue.number}`), idOf(issue)]));
  for (const { issue, state } of work) addIssue(draft, issue, state, ids);
  return draft.finish();
}

const idOf = ({ html_url, url, number }: Issue) => html_url ?? url ?? `#${number}`;

/** What a box or a sentence names of this repository or another: `#11`, `acme/shop#11` or its address. */
const reference =
  /^[*_<]{0,3}(?:\[[^\]]{1,200}\]\()?(?:https?:\/\/[^/\s]{1,200}\/([\w.-]{1,100}\/[\w.-]{1,100})\/(?:issues|pull)\/|([\w.-]{1,100}\/[\w.-]{1,100})?#|GH-)(\d{1,9})(?:[?#]\S{0,60})?[)>.,;:*_]{0,4}$/;

/** An issue as references name it, with its repository; undefined where the words say more. */
function keyOf(issue: Issue, words: string): string | undefined {
  const [, ofAddress, ofName, number] = reference.exec(words) ?? [];
  const [, own = ""] = reference.exec(idOf(issue)) ?? [];
  return number && `${ofAddress ?? ofName ?? own}#${Number(number)}`.toLowerCase();
}

/** What GitHub gives as the reason of a closed issue. */
const reasons: Readonly<Record<string, "dropped" | "DONE">> = {
  COMPLETED: "DONE",
  NOT_PLANNED: "dropped",
  DUPLICATE: "dropped",
};

/** Null for what is not work: pull requests, and what was closed without being done. */
function stateOfIssue(draft: Draft, issue: Issue): WorkState | null {
  if (issue.isPullRequest || issue.pull_request) {
    draft.leftOut.add("Pull requests");
    return null;
  }
  if (issue.state.toUpperCase() !== "CLOSED") return draft.readState({ word: issue.state, told: "TO_DO" });
  const reason = (issue.stateReason ?? issue.state_reason ?? "").toUpperCase();
  const state = draft.readState({
    word: issue.state,
    told: reasons[reason] ?? "DONE",
    isKnown: reason === "" || Object.hasOwn(reasons, reason),
    shown: reason === "" ? issue.state : `${issue.state}, ${reason}`,
  });
  if (state === null) draft.leftOut.add("Closed as not planned or as a duplicate on GitHub");
  return state;
}

function addIssue(draft: Draft, issue: Issue, state: WorkState, ids: ReadonlyMap<string | undefined, string>): void {
  draft.leftOut.addUnread("", issue, issueSchema.shape);
  if (issue.milestone) {
    const { title, description, dueOn, due_on } = issue.milestone;
    draft.describe(title, withFacts(description ?? "", { "Due date": dueOn ?? due_on ?? "" }));
  }
  const said = typeof issue.comments === "number" ? [] : issue.comments;
  draft.leftOut.add(
    "Comments, of which this list has only the number",
    typeof issue.comments === "number" ? issue.comments : 0,
  );
  const [assignee] = issue.assignees;
  draft.leftOut.add("A second assignee: a story has one", issue.assignees.length - 1);
  const id = idOf(issue);
  const body = issue.body ?? "";
  const boxes = readItems(draft, body).filter(({ kind }) => kind === "box");
  draft.leftOut.add("Boxes of a form: no tasks", boxes.filter(isOfForm).length);
  const blocked_by: string[] = [];
  /** A box that only names an issue waits for that one. */
  const isReference = ({ title }: Item) => {
    const key = keyOf(issue, title);
    const other = key && ids.get(key);
    if (other) blocked_by.push(other);
    else if (key) draft.leftOut.add("Boxes that only name what is not in the file", 1, title);
    return key !== undefined;
  };
  const tasks = boxes
    .filter((box) => !isOfForm(box))
    .flatMap((box, index) =>
      isReference(box)
        ? []
        : [{ id: `${id}/${index + 1}`, title: box.title, state: state === "DONE" ? state : stateOfBox(draft, box) }],
    );
  draft.add(issue.milestone?.title || "Imported from GitHub", {
    id,
    code: `GH-${issue.number}`,
    title: issue.title,
    description: withComments(
      body,
      said.map(
        ({ author, createdAt, body: words }) =>
          `**${author?.login ?? "someone"}**${createdAt ? `, ${createdAt}` : ""}:\n\n${words}`,
      ),
    ),
    labels: issue.labels.map(({ name }) => name),
    assignee: assignee?.login,
    created_at: timeOf(issue.createdAt ?? issue.created_at),
    state,
    tasks,
    blocked_by,
  });
}
