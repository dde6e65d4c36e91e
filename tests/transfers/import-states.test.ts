import { describe, expect, it } from "vitest";
import { getInbox } from "~/nouns/inbox/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import type { ImportFormat } from "~/wire/transfers/contract";
import { openApp } from "../setup/app";
import { mover, newProduct, type Part, stock } from "./mover";

const { t, app } = await openApp();
/** No one may make more than five products a minute. */
const someone = async () => mover(t, app, await t.createUser());

/** What a file would become: its stories as `title state`, with the preview. */
async function seen(format: ImportFormat, ...files: Part[]) {
  const named = files.map((file, index): [string, Part] => [`back-${index + 1} - File.md`, file]);
  const { move } = await someone();
  const report = await move({ format, ...newProduct() }, ...named);
  const stories = await stock(t, report.product.id);
  const states = stories.map(({ title, tasks }) => `${title}: ${tasks}`);
  const read = report.statuses.map(({ word, became, known }) => `${word} → ${became}${known ? "" : "?"}`);
  return { states, read, left: report.left_out, stories };
}

it("A Jira import trusts resolution, its date and status category over the name of a status", async () => {
  const row = (title: string, ...more: string[]) => [title, `S-${title.charCodeAt(0)}`, ...more].join(",");
  const file = [
    "Summary,Issue key,Status,Resolution,Resolved,Status Category",
    row("A", "Resolved", "Fixed", "", ""),
    row("B", "Resolved", "Implemented", "", ""),
    row("C", "Closed", "Not A Problem", "", ""),
    row("D", "Resolved", "Incomplete", "", ""),
    row("E", "Abgenommen", "", "01/Jan/26 13:00", ""),
    row("F", "In Prüfung", "", "", "In Progress"),
    row("G", "In Review", "", "", "In Progress"),
    row("H", "Fertig", "", "", "Done"),
    row("I", "Patch Available", "Unresolved", "", ""),
    row("J", "Parked", "", "", ""),
    row("K", "Closed", "Handed over", "", ""),
  ].join("\r\n");
  const { states, read, left } = await seen("jira", file);
  expect(states).toEqual([
    "A: A DONE",
    "B: B DONE",
    "E: E DONE",
    "F: F IN_PROGRESS",
    "G: G REVIEW",
    "H: H DONE",
    "I: I REVIEW",
    "J: J TO_DO",
    "K: K DONE",
  ]);
  expect(left).toContainEqual({ count: 2, reason: "Closed without being done in Jira" });
  expect(read).toEqual(
    expect.arrayContaining([
      "Closed, Not A Problem → LEFT_OUT",
      "In Prüfung → IN_PROGRESS",
      "Parked → TO_DO?",
      "Closed, Handed over → DONE?",
    ]),
  );
});

it("A Linear import trusts dates over the name of a status, and names a parent that differs from its parts", async () => {
  const file = [
    "ID,Title,Status,Started,Completed,Canceled,Duplicate of,Parent issue",
    "E-1,A,Baking,2026-01-01,,,,",
    "E-2,B,Eaten,2026-01-01,2026-01-02,,,",
    "E-3,C,Ready for QA,,,,,",
    "E-4,D,Todo,2026-01-01,,,,",
    "E-5,E,Someday,,,,,",
    "E-6,F,Same,,,,E-5,",
    "E-7,G,Done,,2026-01-02,,,",
    "E-8,Part of G,Todo,,,,,E-7",
    "E-9,H,In Progress,2026-01-02,,,,",
    "E-10,Part of H,Todo,,,,,E-9",
  ].join("\n");
  const { states, read, left } = await seen("linear", file);
  expect(states).toEqual([
    "A: A IN_PROGRESS",
    "B: B DONE",
    "C: C REVIEW",
    "D: D TO_DO",
    "E: E TO_DO",
    "G: Part of G TO_DO",
    "H: Part of H TO_DO",
  ]);
  expect(read).toEqual(expect.arrayContaining(["Someday → TO_DO?", "Same → LEFT_OUT"]));
  expect(left.map(({ reason }) => reason)).toEqual(
    expect.arrayContaining([
      "Done, but a part is not: the story stays open: E-7",
      "Started, but no part is: the story is to do: E-9",
    ]),
  );
});

it("Parents that go in a circle become stories, and their other parts stay with them", async () => {
  const rows = ["ID,Title,Status,Parent issue", "E-1,A,Todo,E-2", "E-2,B,Todo,E-1", "E-3,Part of A,Todo,E-1"];
  const stories = ["A: Part of A TO_DO", "B: B TO_DO"];
  expect((await seen("linear", rows.join("\n"))).states).toEqual(stories);
  const files = rows.slice(1).map((row) => {
    const [id, title, status, parent] = row.split(",");
    return `---\nid: ${id}\ntitle: ${title}\nstatus: ${status}\nparent_task_id: ${parent}\nmilestone: M\n---\n`;
  });
  const { states, left } = await seen("backlog-md", ...files);
  expect(states).toEqual(stories);
  expect(left).toContainEqual({ count: 2, reason: expect.stringContaining("its own ancestor") });
});

it("A GitHub import leaves out duplicates and pull requests, in lists of the REST API as well", async () => {
  const issue = (number: number, more: object) => ({ number, title: `N${number}`, ...more });
  const file = JSON.stringify([
    issue(1, { state: "CLOSED", stateReason: "DUPLICATE" }),
    issue(2, { state: "closed", state_reason: "not_planned", html_url: "https://x.example/2" }),
    issue(3, { state: "closed", state_reason: "completed", comments: 2 }),
    issue(4, { state: "open", state_reason: "reopened" }),
    issue(5, { state: "open", pull_request: { url: "https://x.example/5" } }),
    issue(6, { state: "CLOSED", stateReason: "TRANSFERRED" }),
  ]);
  const { states, read, left } = await seen("github", file);
  expect(states).toEqual(["N3: N3 DONE", "N4: N4 TO_DO", "N6: N6 DONE"]);
  expect(read).toContain("CLOSED, TRANSFERRED → DONE?");
  expect(left).toEqual(
    expect.arrayContaining([
      { count: 2, reason: "Closed as not planned or as a duplicate on GitHub" },
      { count: 1, reason: "Pull requests" },
    ]),
  );
});

it("A GitHub import makes no tasks of boxes in comments, code and forms", async () => {
  const body = [
    "<!-- Please remove",
    "- [ ] this",
    "-->",
    "- [x] I searched for it",
    "- [ ] Real",
    "1. [ ] Numbered",
    "```md",
    "- [ ] sample",
    "```",
    "~~~",
    "- [ ] other",
    "~~~",
  ].join("\r\n");
  const { states, left } = await seen("github", JSON.stringify([{ number: 1, title: "A", body }]));
  expect(states).toEqual(["A: Real TO_DO,Numbered TO_DO"]);
  expect(left).toEqual([
    { count: 3, reason: "Boxes without words, or in code, quotes, comments and tables: this, sample, other" },
    { count: 1, reason: "Boxes of a form: no tasks" },
  ]);
});

it("An imported open story without tasks gets one task with its title and description", async () => {
  const file = "ID,Title,Description,Status\nE-1,Sort the list,By name,Todo\n";
  const { move } = await someone();
  const report = await move({ format: "linear", ...newProduct() }, ["a.csv", file]);
  const rows = await t.query`select title, description, status from tasks where product_id = ${report.product.id}`;
  expect(rows).toEqual([{ title: "Sort the list", description: "By name", status: "TO_DO" }]);
});

it("Tasks imported in review are in no inbox until someone moves them to review here", async () => {
  const user = await t.createUser();
  const { move } = await mover(t, app, user);
  const rows = Array.from({ length: 400 }, (_, place) => `E-${place + 1},A,In Review`);
  const file = ["ID,Title,Status", ...rows].join("\n");
  const { product } = await move({ format: "linear", ...newProduct() }, ["a.csv", file]);
  const actor = t.actorOf(user);
  expect(await getInbox(actor, {})).toMatchObject({ counts: {}, items: [] });
  const [task] = await t.query`select id from tasks where product_id = ${product.id} and status = 'REVIEW' limit 1`;
  for (const status of ["todo", "review"] as const) await setTaskStatus(actor, { task_id: String(task?.id), status });
  expect(await getInbox(actor, {})).toMatchObject({ counts: { review: 1 } });
});

it("An import preview shows which status it took each word for", async () => {
  const file = "ID,Title,Status\nE-1,A,Parked\nE-2,B,Parked\n";
  const { preview } = await someone();
  const { statuses } = await preview({ format: "linear", ...newProduct() }, ["a.csv", file]);
  expect(statuses).toEqual([{ word: "Parked", became: "TO_DO", known: false, count: 2 }]);
});

describe("files that other programs make", () => {
  const csv = "ID;Title;Status\r\nE-1;A;Done\r\n";
  const utf16 = (text: string, isLittle: boolean) => {
    const bytes = new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le"));
    return isLittle ? bytes : new Uint8Array(Buffer.from(bytes).swap16());
  };

  it.each<[string, Part]>([
    ["Excel's line before the header", `\uFEFFsep=;\r\n${csv}`],
    ["the same line once Excel has saved it again", `"sep=;"\r\n${csv}`],
    ["UTF-16 as Windows writes it", utf16(csv.replaceAll(";", "\t"), true)],
    ["UTF-16, the other end first", utf16(csv, false)],
    ["line ends of old", csv.replaceAll("\r\n", "\r")],
  ])("An import reads a CSV file with %s", async (_what, file) => {
    expect((await seen("linear", file)).states).toEqual(["A: A DONE"]);
  });

  it("A Trello import orders by pos and reads states in list names with brackets, dashes and colons", async () => {
    const lists = ["To Do", "Done (Sprint 12)", "Q3 – Done", "Review: Design", "Done or not", "Ideas"];
    const board = {
      name: "Shop",
      lists: lists.map((name, index) => ({ id: name, name, pos: 100 - index })),
      cards: lists.flatMap((name, index) =>
        [2, 1].map((pos) => ({ id: `${index}${pos}`, name: `${index}.${pos}`, idList: name, pos })),
      ),
      checklists: [2, 1].map((pos) => ({
        id: `c${pos}`,
        idCard: "02",
        pos,
        checkItems: [2, 1].map((at) => ({ id: `item ${pos}${at}`, name: `${pos}${at}`, state: "incomplete", pos: at })),
      })),
    };
    const { move } = await someone();
    const report = await move({ format: "trello", ...newProduct() }, ["a.json", JSON.stringify(board)]);
    const rows =
      await t.query`select b.title as pbi, s.title, (select string_agg(concat(k.title, ' ', k.status), ', ' order by k.sort_order)
        from tasks k where k.story_id = s.id) as tasks
      from stories s join pbis b on b.id = s.pbi_id where s.product_id = ${report.product.id} order by b.sort_order, s.sort_order`;
    expect(rows.map(({ pbi, title, tasks }) => `${pbi}: ${title}: ${tasks}`)).toEqual([
      "Ideas: 5.1: 5.1 TO_DO",
      "Ideas: 5.2: 5.2 TO_DO",
      "Done or not: 4.1: 4.1 TO_DO",
      "Done or not: 4.2: 4.2 TO_DO",
      "Shop: 3.1: 3.1 REVIEW",
      "Shop: 3.2: 3.2 REVIEW",
      "Shop: 2.1: 2.1 DONE",
      "Shop: 2.2: 2.2 DONE",
      "Shop: 1.1: 1.1 DONE",
      "Shop: 1.2: 1.2 DONE",
      "Shop: 0.1: 0.1 TO_DO",
      "Shop: 0.2: 11 TO_DO, 12 TO_DO, 21 TO_DO, 22 TO_DO",
    ]);
    expect(report.statuses.filter(({ known }) => !known).map(({ word }) => word)).toEqual(["Ideas", "Done or not"]);
  });

  it("A Linear issue with an invisible title is imported as untitled, with its identifier", async () => {
    const file = "ID,Title,Status\nLIN-7,\u200b\u200d\u2060,Todo\nLIN-8,\u2800,Todo\n";
    const { stories } = await seen("linear", file);
    expect(stories.map(({ title }) => title)).toEqual(["Untitled LIN-7", "Untitled LIN-8"]);
  });

  it("A Jira import converts markup in cells with Windows line ends", async () => {
    const file = 'Summary,Issue key,Description\r\nA,S-1,"h3. Next\r\n# Wait\r\n{code}\r\n# x\r\n{code}"';
    const { stories } = await seen("jira", file);
    expect(stories[0]).toMatchObject({ description: "### Next\n1. Wait\n```\n# x\n```" });
  });

  it("A Jira file with a header in another language is refused with what to do", async () => {
    const { send } = await someone();
    const refused = await send({ format: "jira", ...newProduct() }, [
      "jira.csv",
      "Zusammenfassung,Vorgangsschlüssel\nA,S-1",
    ]);
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining("set the language of your Jira account to English"),
    ]);
  });

  it("A Backlog.md import reads texts without quotes, and names a file that it cannot read", async () => {
    const file = (id: number, more: string) => `---\nid: B-${id}\n${more}\n---\n`;
    const { states, left, read, stories } = await seen(
      "backlog-md",
      file(1, "title: Fix: login: loop\nstatus: Ready for tea"),
      file(2, "title: Support C# 12 #urgent\nstatus: 🔨 In Progress\nassignee: @mara"),
      file(3, "title: [Web] @mara's list\nmilestone: 1.10\nlabels: [1.20, yes]"),
      file(4, "title: >-\n  Long\n  title"),
      file(5, "title: one\ntitle: two"),
    );
    expect(states.toSorted()).toEqual([
      "Fix: login: loop: Fix: login: loop TO_DO",
      "Long title: Long title TO_DO",
      "Support C# 12 #urgent: Support C# 12 #urgent IN_PROGRESS",
      "[Web] @mara's list: [Web] @mara's list TO_DO",
    ]);
    expect(stories.find(({ title }) => title.startsWith("[Web]"))?.labels).toEqual(["1.20", "yes"]);
    expect(read).toEqual(["Ready for tea → TO_DO?", "🔨 In Progress → IN_PROGRESS"]);
    expect(left).toContainEqual({
      count: 1,
      reason: expect.stringMatching(/Files: front matter .*: tasks\/back-5 - File\.md$/),
    });
  });
});
