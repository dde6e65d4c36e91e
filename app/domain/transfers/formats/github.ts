import { z } from "zod";
import type { ImportDraft } from "~/contract/import";
import { Draft, type TaskFields, timeOf, withComments } from "./draft";
import { readJson } from "./read-json";

const named = z.object({ name: z.string() });

/**
 * Output of `gh issue list --json
 * number,title,body,state,stateReason,labels,assignees,milestone,createdAt,url,comments`; only number and title are
 * required.
 */
const issueSchema = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string().default("OPEN"),
  stateReason: z.string().nullish(),
  labels: z.array(z.union([named, z.string().transform((name) => ({ name }))])).default([]),
  assignees: z.array(z.object({ login: z.string() })).default([]),
  milestone: z.object({ title: z.string() }).nullish(),
  createdAt: z.string().optional(),
  url: z.string().optional(),
  comments: z
    .array(
      z.object({
        author: z.object({ login: z.string() }).nullish(),
        body: z.string(),
        createdAt: z.string().optional(),
      }),
    )
    .catch([]),
});

/** Reads GitHub issues: milestones become PBIs, issues stories, and checkboxes of task lists tasks. */
export function readGithub(text: string): ImportDraft {
  const issues = readJson(
    text,
    z.array(issueSchema),
    "the list that gh issue list --json number,title,body,state,labels,… prints",
  );
  const draft = new Draft("github");
  for (const issue of issues) {
    if (issue.stateReason?.toUpperCase() === "NOT_PLANNED") {
      draft.leaveOut("Closed as not planned on GitHub");
      continue;
    }
    const [assignee] = issue.assignees;
    draft.leaveOut("A second assignee: a story has one", issue.assignees.length - 1);
    const id = issue.url ?? `#${issue.number}`;
    const body = issue.body ?? "";
    const isDone = issue.state.toUpperCase() === "CLOSED";
    draft.add(issue.milestone?.title || "Imported from GitHub", {
      id,
      code: `GH-${issue.number}`,
      title: issue.title,
      description: withComments(
        body,
        issue.comments.map(
          ({ author, createdAt, body: said }) =>
            `**${author?.login ?? "somebody"}**${createdAt ? `, ${createdAt}` : ""}:\n\n${said}`,
        ),
      ),
      labels: issue.labels.map(({ name }) => name),
      assignee: assignee?.login,
      created_at: timeOf(issue.createdAt),
      state: isDone ? "DONE" : "TO_DO",
      tasks: boxesOf(id, body, isDone),
    });
  }
  return draft.finish();
}

function boxesOf(id: string, body: string, isDone: boolean): TaskFields[] {
  return body
    .split("\n")
    .map((line) => /^\s{0,6}[-*+] \[([ xX])\] (.+)$/.exec(line.trimEnd()))
    .filter((box) => box !== null)
    .map(([, mark, title = ""], index) => ({
      id: `${id}/${index + 1}`,
      title,
      state: isDone || mark !== " " ? "DONE" : "TO_DO",
    }));
}
