import { expect, it } from "vitest";
import { exportDocumentSchema } from "~/nouns/transfers/export-document";
import { readFiles } from "~/nouns/transfers/formats/read-files.server";
import type { ImportFormat } from "~/wire/transfers/contract";

/**
 * Whatever a tool exports arrives or is named in `left_out`: each of its fields is given alone, and has to change what
 * is imported or what is said to be left out.
 */
const read = (format: ImportFormat, name: string, text: string) => {
  const { pbis, left_out } = readFiles(format, [{ name, bytes: new TextEncoder().encode(text) }]);
  return { pbis: JSON.stringify(pbis), named: JSON.stringify(left_out) };
};

function lostFields<Value>(
  format: ImportFormat,
  fields: Readonly<Record<string, Value>>,
  write: (fields: readonly (readonly [string, Value])[]) => string,
  file = "file",
): string[] {
  const plain = read(format, file, write([]));
  return Object.entries(fields)
    .filter(([name, value]) => {
      const { pbis, named } = read(format, file, write([[name, value]]));
      return pbis === plain.pbis && named === plain.named;
    })
    .map(([name]) => name);
}

const fill = (names: readonly string[], values: Readonly<Record<string, string>>) =>
  Object.fromEntries(names.map((name) => [name, values[name] ?? "something"]));

const day = "2026-01-02T00:00:00.000Z";

it("No column of a Linear export is lost unseen", () => {
  const columns = `Team | Description | Estimate | Priority | Project ID | Project | Creator | Assignee | Labels |
      Cycle Number | Cycle Name | Cycle Start | Cycle End | Created | Updated | Started | Triaged | Completed |
      Canceled | Archived | Due Date | Parent issue | Initiatives | Project Milestone ID | Project Milestone |
      SLA Status | UUID | Time in status (minutes) | Related to | Blocked by | Duplicate of | A new one`.split(
    /\s*\|\s*/,
  );
  const values = { Priority: "Urgent", Created: day, "Parent issue": "E-2", "Blocked by": "E-2" };
  const write = (more: readonly (readonly [string, string])[]) => {
    const header = ["ID", "Title", "Status", ...more.map(([name]) => name)];
    const row = ["E-1", "A", "Parked", ...more.map(([, value]) => value)];
    return [header, row, ["E-2", "B", "Todo"]].map((line) => line.join(",")).join("\n");
  };
  expect(lostFields("linear", fill(columns, values), write)).toEqual([]);
});

it("No column of a Jira export is lost unseen", () => {
  const columns = `Parent id | Parent key | Parent | Parent summary | Issue Type | Project key | Project name |
      Project type | Project lead | Project description | Project url | Priority | Resolution | Assignee |
      Assignee Id | Reporter | Creator | Created | Updated | Last Viewed | Resolved | Affects Version/s |
      Fix Version/s | Fix versions | Component/s | Components | Due Date | Votes | Labels | Description |
      Environment | Watchers | Log Work | Original Estimate | Remaining Estimate | Time Spent | Work Ratio |
      Σ Original Estimate | Security Level | Attachment | Inward issue link (Blocks) |
      Outward issue link (Blocks) | Sprint | Inward issue link (Duplicate) | Outward issue link (Relates) |
      Status Category | Custom field (Epic Link) | Custom field (Epic Name) | Custom field (Story Points) |
      Custom field (Story point estimate) | Custom field (Team) | Comment`.split(/\s*\|\s*/);
  const parents = ["Parent id", "Parent key", "Parent", "Custom field (Epic Link)"];
  const values = {
    ...Object.fromEntries(parents.map((name) => [name, "S-2"])),
    Priority: "High",
    Created: "23/Nov/25 9:05 AM",
    "Issue Type": "Epic",
    "Status Category": "Done",
    "Original Estimate": "60",
    "Σ Original Estimate": "60",
    "Inward issue link (Blocks)": "S-2",
    "Outward issue link (Blocks)": "S-2",
  };
  const write = (more: readonly (readonly [string, string])[]) => {
    const header = ["Issue key", "Summary", "Status", ...more.map(([name]) => name)];
    const row = ["S-1", "A", "Parked", ...more.map(([, value]) => value)];
    return [header, row, ["S-2", "B", "Open"]].map((line) => line.join(",")).join("\n");
  };
  expect(lostFields("jira", fill(columns, values), write)).toEqual([]);
});

it("No field of a GitHub issue is lost unseen, from gh or the REST API", () => {
  const person = { login: "ada" };
  const fields: Record<string, unknown> = {
    assignees: [person],
    author: person,
    body: "B",
    closed: true,
    closedAt: day,
    closedByPullRequestsReferences: [{ number: 3 }],
    createdAt: day,
    id: "I_1",
    comments: [{ author: person, body: "Me too", createdAt: day }],
    isPinned: true,
    labels: [{ name: "bug" }],
    milestone: { title: "M" },
    projectCards: [{ id: 1 }],
    projectItems: [{ title: "P" }],
    reactionGroups: [{ content: "HEART" }],
    state: "CLOSED",
    updatedAt: day,
    url: "https://x.example/1",
    isPullRequest: true,
    active_lock_reason: "spam",
    assignee: person,
    author_association: "OWNER",
    closed_at: day,
    closed_by: person,
    comments_url: "https://x.example",
    created_at: day,
    draft: true,
    html_url: "https://x.example/1",
    locked: true,
    node_id: "I_1",
    pull_request: { url: "x" },
    reactions: { heart: 1 },
    sub_issues_summary: { total: 1 },
    issue_dependencies_summary: { blocked_by: 1 },
    type: { name: "Bug" },
    user: person,
    updated_at: day,
    parent_issue_url: "https://x.example/2",
    a_new_one: "x",
  };
  const write = (more: readonly (readonly [string, unknown])[]) =>
    JSON.stringify([
      { number: 1, title: "A", ...Object.fromEntries(more) },
      { number: 2, title: "B" },
    ]);
  expect(lostFields("github", fields, write)).toEqual([]);
  expect(lostFields("github", { comments: 2 }, write)).toEqual([]);
  const closed = (more: readonly (readonly [string, unknown])[]) => write([["state", "CLOSED"], ...more]);
  const reasons = { stateReason: "DUPLICATE", state_reason: "not_planned" };
  expect(lostFields("github", reasons, closed)).toEqual([]);
  const milestone = (more: readonly (readonly [string, unknown])[]) =>
    write([["milestone", { title: "M", ...Object.fromEntries(more) }]]);
  expect(lostFields("github", { description: "D", dueOn: day, due_on: day }, milestone)).toEqual([]);
});

it("No field of a Trello card, checklist, item or board is lost unseen", () => {
  const write = (card: object, list: object, item: object, board: object) =>
    JSON.stringify({
      name: "Garden",
      lists: [{ id: "l1", name: "Beds" }],
      members: [{ id: "m", username: "a" }],
      cards: [
        { id: "c1", name: "Sow", idList: "l1", ...card },
        { id: "c2", name: "Dig", idList: "l1" },
      ],
      checklists: [
        {
          idCard: "c1",
          checkItems: [
            { id: "i1", name: "Peas", state: "incomplete", ...item },
            { id: "i2", name: "Beans", state: "incomplete" },
          ],
          ...list,
        },
        { idCard: "c1", checkItems: [{ id: "i3", name: "Kale", state: "incomplete" }] },
      ],
      ...board,
    });
  const one = Object.fromEntries;
  const card: Record<string, unknown> = {
    desc: "D",
    closed: true,
    idMembers: ["m"],
    labels: [{ name: "green" }],
    dueComplete: true,
    due: day,
    start: day,
    badges: { votes: 1 },
    cover: { color: "red" },
    pos: 1,
    url: "x",
    attachments: [{ url: "x" }],
    customFieldItems: [{ id: "f" }],
    idMembersVoted: ["m"],
    dateLastActivity: day,
    dueReminder: 60,
    shortLink: "x",
    isTemplate: true,
    address: "x",
  };
  expect(lostFields("trello", card, (more) => write(one(more), {}, {}, {}))).toEqual([]);
  expect(lostFields("trello", { name: "Steps", pos: 1 }, (more) => write({}, one(more), {}, {}))).toEqual([]);
  const item: Record<string, unknown> = { state: "complete", due: day, idMember: "m", pos: 1 };
  expect(lostFields("trello", item, (more) => write({}, {}, one(more), {}))).toEqual([]);
  const board: Record<string, unknown> = {
    desc: "D",
    customFields: [{ id: "f" }],
    prefs: { voting: "on" },
    pluginData: [1],
    url: "x",
  };
  expect(lostFields("trello", board, (more) => write({}, {}, {}, one(more)))).toEqual([]);
  const history = { actions: [{ type: "updateCard" }] };
  const { named } = read("trello", "file", write({}, {}, {}, history));
  expect(named).toContain("History of the board");
});

it("No front matter or section of a Backlog.md file is lost unseen", () => {
  const front = {
    status: "Done",
    assignee: "['@a']",
    reporter: "'@b'",
    created_date: "'2026-01-02'",
    updated_date: "'2026-01-03'",
    labels: "[x]",
    milestone: "M",
    dependencies: "[B-2]",
    references: "[r]",
    documentation: "[d]",
    priority: "high",
    ordinal: "1000",
    type: "bug",
    parent_task_id: "B-2",
    a_new_one: "x",
  };
  const sections = {
    Description: "D",
    "Acceptance Criteria": "- [x] #1 C",
    "Definition of Done": "- [ ] #1 D",
    "Implementation Plan": "P",
    "Implementation Notes": "N",
    "Final Summary": "F",
    Comments: "C",
    Something: "S",
  };
  const write = (head: readonly (readonly [string, string])[], body: readonly (readonly [string, string])[]) =>
    `---\nid: B-1\ntitle: A\n${head.map(([name, value]) => `${name}: ${value}\n`).join("")}---\n${body.map(([name, value]) => `## ${name}\n\n${value}\n`).join("")}`;
  expect(lostFields("backlog-md", front, (more) => write(more, []), "b-1 - A.md")).toEqual([]);
  expect(lostFields("backlog-md", sections, (more) => write([], more), "b-1 - A.md")).toEqual([]);
});

it("No field of a Beads issue or epic is lost unseen", () => {
  const fields: Record<string, unknown> = {
    description: "D",
    design: "D",
    acceptance_criteria: "C",
    notes: "N",
    labels: ["x"],
    assignee: "ada",
    owner: "ada",
    created_at: day,
    created_by: "ada",
    closed_at: day,
    close_reason: "Done",
    external_ref: "gh-9",
    due_at: day,
    pinned: true,
    defer_until: day,
    estimated_minutes: 5,
    source_repo: ".",
    compaction_level: 1,
    a_new: 1,
    comments: [{ id: 1, author: "ada", text: "C", created_at: day }],
    spec_id: "s",
  };
  const dependencies = [{ issue_id: "b-1", depends_on_id: "b-2", type: "blocks" }];
  const more = { ...fields, dependencies, status: "closed", priority: 0, issue_type: "gate" };
  const write =
    (type: string) =>
    (given: readonly (readonly [string, unknown])[]): string =>
      [
        { id: "b-1", title: "A", issue_type: type, ...Object.fromEntries(given) },
        { id: "b-2", title: "B" },
        { id: "b-1.1", title: "C" },
      ]
        .map((issue) => JSON.stringify(issue))
        .join("\n");
  expect(lostFields("beads", more, write("bug"))).toEqual([]);
  const { created_at, ...ofEpic } = fields;
  expect(lostFields("beads", { ...ofEpic, dependencies }, write("epic"))).toEqual([]);
});

it("No field of a Backloom export is lost unseen", () => {
  const fields = partsOfDocument();
  for (const [part, shape] of Object.entries(shapesOfDocument()))
    expect([part, Object.keys(fields[part] ?? {}).sort()]).toEqual([part, Object.keys(shape).sort()]);
  const write = (part: string) => (more: readonly (readonly [string, unknown])[]) => {
    const given = (name: string) => (name === part ? Object.fromEntries(more) : {});
    const task = { code: "T-1", title: "T", ...given("task") };
    const story = { code: "ST-1", title: "S", tasks: [task], ...given("story") };
    const pbi = { code: "PBI-1", title: "B", stories: [story, { code: "ST-2", title: "Z" }], ...given("pbi") };
    const product = { code: "P", name: "P", ...given("product") };
    const sprints = [{ code: "SP-1" }];
    return JSON.stringify({
      format: "backloom-export",
      version: 1,
      sprints,
      product,
      pbis: [pbi],
      ...given("document"),
    });
  };
  for (const [part, values] of Object.entries(fields)) {
    const said = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== told));
    expect([part, lostFields("backloom", said, write(part))]).toEqual([part, []]);
  }
});

/** Tells what the file is, or is told by the target, the order or the labels of the items. */
const told = Symbol("told otherwise");

function shapesOfDocument() {
  const document = exportDocumentSchema.shape;
  const pbi = document.pbis.unwrap().element.shape;
  const story = pbi.stories.unwrap().element.shape;
  const task = story.tasks.unwrap().element.shape;
  return { document, product: document.product.shape, pbi, story, task };
}

function partsOfDocument(): Record<string, Record<string, unknown>> {
  const text = { title: "Other", description: "D", created_at: day };
  const comments = [{ body: "C", author: "a" }];
  const seen = { verdict: "pass", grade: "said", kind: "file", observed_by: "a", criterion: "C" };
  const who = { agent: "codex", model: "gpt-5", effort: "low" };
  return {
    document: {
      format: told,
      version: told,
      exported_at: told,
      product: told,
      pbis: told,
      labels: told,
      counters: told,
      members: [{ username: "a", role: "MEMBER" }],
      sprints: [{ code: "SP-2" }, { code: "SP-3" }],
      ideas: [{ title: "I" }],
      lessons: [{ text: "L", status: "accepted", cause: "ci_failed" }],
      views: [{ page: "backlog", name: "V", look: {} }],
      files: [{ id: "00000000-0000-4000-8000-000000000001", name: "f", type: "image/png", size: 1 }],
    },
    product: {
      code: told,
      name: told,
      created_at: told,
      description: "D",
      repo_url: "https://x.example",
      definition_of_done: "D",
      auto_pr: true,
      pull_requests: "draft",
      landing: "queue",
      pr_strategy: "STORY",
      done_requires: "person",
      dependency_release: "merged",
      plan_first: "auto",
      on_failure: "ask",
      plan_review: "person",
      agent_items: "triage",
      requires_sandbox: true,
      may_reach: ["x.example"],
      references: [{ name: "api", url: "https://x.example/a.git", ref: null }],
      review_marks: { ci: ["build/**"] },
      forge_issue_label: "bug",
      branch_prefix: "agents",
      archived_at: day,
      ...who,
      fallback: ["codex"],
      fallback_after: 5,
      change_index: false,
      avoid_overlap: true,
    },
    pbi: {
      ...text,
      code: told,
      sort_order: told,
      created_at: day,
      priority: 1,
      status: "BLOCKED",
      pr_url: "https://x.example",
      pr_merged_at: day,
      stories: told,
      comments,
    },
    story: {
      ...text,
      code: "ST-9",
      acceptance_criteria: "- C",
      priority: 1,
      status: "DONE",
      sprint: "SP-1",
      ...who,
      assignee: "a",
      blocked_by: ["ST-2"],
      labels: ["x"],
      tasks: told,
      head_sha: "abc",
      comments,
      log: [{ type: "IMPLEMENTATION_PLAN", content: "L" }],
      evidence: [seen],
      waivers: [{ criterion: "C", reason: "R", waived_by: "a" }],
    },
    task: {
      ...text,
      code: "T-9",
      implementation_plan: "P",
      priority: 1,
      status: "DONE",
      repo_url: "https://x.example",
      verify_only: true,
      verify_required: "ANY",
      comments,
      ...who,
      requires_opus: true,
      estimated_minutes: 5,
      blocked_by: ["T-2"],
      labels: ["x"],
      reviews: [{ verdict: "approve", author: "a" }],
    },
  };
}
