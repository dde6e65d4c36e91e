import { expect, it } from "vitest";
import { createTask } from "~/nouns/tasks/operations.server";
import { openApp } from "../setup/app";
import { mover, newProduct, waitsIn } from "./mover";

const { t, app } = await openApp();

const linear = [
  "ID,Title,Status,Parent issue,Blocked by,Due Date,Cycle Name,Project Milestone,Related to",
  'E-1,A,Todo,,"E-2, E-9",2026-03-01,Cycle 7,M1,E-3',
  "E-2,B,Todo,,,,,,",
  "E-3,C,Todo,,E-4,,,,",
  "E-4,D,Todo,,E-3,,,,",
  "E-5,Part of A,Todo,E-1,E-6,,,,",
  "E-6,Part of B,Todo,E-2,E-1,,,,",
  "E-7,Other part of A,Todo,E-1,E-5,,,,",
].join("\n");

it("A Linear import keeps dependencies of issues and sub-issues, and names circular and unknown ones", async () => {
  const { move, preview } = await mover(t, app, await t.createUser());
  const target = { format: "linear", ...newProduct() };
  const seen = await preview(target, ["a.csv", linear]);
  const done = await move(target, ["a.csv", linear]);
  expect(await waitsIn(t, done.product.id)).toEqual([
    "A > B",
    "C > D",
    "task Other part of A > Part of A",
    "task Part of A > Part of B",
  ]);
  expect(done.dependencies).toBe(4);
  expect(done.left_out).toEqual([
    { count: 1, reason: "Dependencies on what is not imported: E-1 on E-9" },
    { count: 2, reason: "Dependencies that close a circle: E-4 on E-3, E-6 on E-1" },
  ]);
  expect(seen.left_out).toEqual(done.left_out);
  const rows = await t.query`select description from stories where code = 'E-1'`;
  expect(rows).toEqual([{ description: "Due date: 2026-03-01\n\nCycle: Cycle 7\n\nMilestone: M1\n\nRelated to: E-3" }]);
});

it("Codes that an import makes skip those in use, and the next new task goes on after them", async () => {
  const { actor, owner, product, story } = await t.seedWorld(2);
  await t.query`update tasks set code = 'T-4' where product_id = ${product.id} and code = 'T-2'`;
  const { move, preview } = await mover(t, app, owner);
  const issue = { number: 7, title: "Boxes", body: "- [ ] one\n- [ ] two\n- [x] three", state: "OPEN" };
  const target = { format: "github", product_id: product.id };
  await preview(target, ["a.json", JSON.stringify([issue])]);
  await move(target, ["a.json", JSON.stringify([issue])]);
  const { code } = await createTask(actor, { story_id: story.id, title: "next" });
  const rows = await t.query`select code from tasks where product_id = ${product.id} order by created_at, sort_order`;
  expect([rows.map((row) => row.code), code]).toEqual([["T-1", "T-4", "T-3", "T-5", "T-6", "T-7"], "T-7"]);
});

it("A repeated import brings back no removed dependency and adds those of new stories", async () => {
  const { move } = await mover(t, app, await t.createUser());
  const first = "ID,Title,Status,Blocked by\nF-1,A,Todo,F-2\nF-2,B,Todo,\n";
  const { product } = await move({ format: "linear", ...newProduct() }, ["a.csv", first]);
  const into = { format: "linear", product_id: String(product.id) };
  await t.query`delete from story_dependencies where product_id = ${product.id}`;
  expect(await move(into, ["a.csv", `${first}F-3,C,Todo,F-1\n`])).toMatchObject({ dependencies: 1 });
  expect(await waitsIn(t, product.id)).toEqual(["C > A"]);
});

it("A GitHub import makes a dependency of a box that only names an issue, or names it in the report", async () => {
  const { move } = await mover(t, app, await t.createUser());
  const issue = (number: number, title: string, body: string) => ({
    number,
    title,
    body,
    url: `https://github.example/acme/shop/issues/${number}`,
  });
  const boxes = ["#11", "https://github.example/acme/shop/issues/12", "acme/shop#13", "#14 is next"];
  const others = ["#99", "acme/other#11", "[the old one](https://github.example/acme/x/pull/3)"];
  const file = JSON.stringify([
    issue(10, "Checkout", [...boxes, ...others].map((words) => `- [ ] ${words}`).join("\n")),
    ...[11, 12, 13].map((number) => issue(number, `N${number}`, "")),
  ]);
  const done = await move({ format: "github", ...newProduct() }, ["issues.json", file]);
  expect(await waitsIn(t, done.product.id)).toEqual(["N11", "N12", "N13"].map((title) => `Checkout > ${title}`));
  const rows = await t.query`select k.title from tasks k join stories s on s.id = k.story_id
      where s.product_id = ${done.product.id} and s.title = 'Checkout'`;
  expect(rows).toEqual([{ title: "#14 is next" }]);
  expect(done.left_out).toEqual([
    { count: 3, reason: `Boxes that only name what is not in the file: ${others.join(", ")}` },
  ]);
});

it("A Jira import reads links from either end once, and keeps other links, dates and points in the text", async () => {
  const { move } = await mover(t, app, await t.createUser());
  const file = [
    "Summary,Issue key,Inward issue link (Blocks),Outward issue link (Blocks),Outward issue link (Relates),Due Date,Custom field (Story Points),Fix Version/s",
    "A,S-1,S-2,,S-3,01/Mar/26 00:00,5.0,1.2",
    "B,S-2,,S-1,,,,",
    "C,S-3,,S-2,,,,",
  ].join("\n");
  const { product, left_out } = await move({ format: "jira", ...newProduct() }, ["j.csv", file]);
  expect(await waitsIn(t, product.id)).toEqual(["A > B", "B > C"]);
  expect(left_out).toEqual([]);
  const rows = await t.query`select description from stories where code = 'S-1'`;
  for (const fact of ["points: 5.0", "date: 01/Mar/26", "version: 1.2", "(relates): S-3"])
    expect(rows[0]?.description).toContain(fact);
});

it("A Backlog.md import keeps notes, summary and comments in the log, ticked criteria and dependencies", async () => {
  const user = await t.createUser();
  const { move } = await mover(t, app, user);
  const file = (id: number, more: string, body = "") =>
    `---\nid: B-${id}\ntitle: Number ${id}\nstatus: To Do\n${more}---\n${body}`;
  const body =
    "## Acceptance Criteria\n- [x] #1 It works\n- [ ] #2 It is fast\n\n## Implementation Notes\n\nUses the outbox\n\n## Final Summary\n\nShipped\n\n## Comments\n\nKeep it\n";
  const done = await move(
    { format: "backlog-md", ...newProduct() },
    ["b-1 - One.md", file(1, "milestone: M\ndependencies: [B-2, B-1]\n", body)],
    ["b-2 - Two.md", file(2, "milestone: M\n")],
    ["b-1.1 - Part.md", file(1.1, "parent_task_id: B-1\nmilestone: M\ndependencies: [B-2]\n")],
  );
  expect(done.dependencies).toBe(1);
  expect(done.left_out.slice(-2)).toEqual([
    { count: 1, reason: "Dependencies on itself, or on more than 100 others: B-1 on B-1" },
    { count: 1, reason: "Dependencies that are one with another of the same stories: B-1/B-1.1 on B-2" },
  ]);
  expect(await waitsIn(t, done.product.id)).toEqual(["Number 1 > Number 2"]);
  const log = await t.query`select l.content, l.user_id from story_logs l join stories s
      on s.id = l.story_id where s.product_id = ${done.product.id} and s.code = 'B-1'`;
  expect(log.map(({ content }) => content)).toEqual(
    expect.arrayContaining([
      "Uses the outbox",
      "Shipped",
      "Keep it",
      expect.stringContaining("Imported from tasks/b-1 - One.md"),
    ]),
  );
  expect(log.every(({ user_id }) => user_id === user.id)).toBe(true);
  const evidence = await t.query`select criterion_text, verdict, grade from evidence
      where product_id = ${done.product.id}`;
  expect(evidence).toEqual([{ criterion_text: "It works", verdict: "pass", grade: "said" }]);
});
