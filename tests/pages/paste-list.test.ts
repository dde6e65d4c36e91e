import { expect, it } from "vitest";
import { createFromList } from "~/nouns/stories/operations.server";
import { type ListItem, readPastedList } from "~/nouns/stories/pasted-list";
import { openApp } from "../setup/app";
import { at } from "../setup/world";

const { t, app } = await openApp({ pages: true });

/** Titles, with the titles below them. */
const outline = (text: string, into: "pbi" | "story" = "pbi") =>
  readPastedList(text, into).items.map(({ title, tasks }) => [title, ...tasks.map((task) => task.title)]);

it.each([
  ["lines", "One\n\nTwo", [["One"], ["Two"]]],
  ["bullets below bullets", "- One\n  - a\n  * b\n- Two\r\n", [["One", "a", "b"], ["Two"]]],
  ["numbers and tabs", "1. One\n\t1) a\n2. Two", [["One", "a"], ["Two"]]],
  ["headings", "## One\n- a\n- b\n## Two", [["One", "a", "b"], ["Two"]]],
  ["lines below their title", "# All\n- One\n  - a\n- Two", [["One", "a"], ["Two"]]],
  ["headings below their title", "# All\n## One\n- a\n## Two", [["One", "a"], ["Two"]]],
  ["open boxes", "- [ ] One\n    - [ ] a", [["One", "a"]]],
])("A pasted list of %s becomes items with the tasks below them", (_name, text, expected) => {
  expect(outline(text)).toEqual(expected);
});

it.each([
  ["a Markdown table", "| # | Title | Notes |\n|---|:--|---|\n| 1 | One | a |\n| 2 | Two | |"],
  ["CSV", 'id,Title,Description\r\n1,One,a\n2,"Two",""'],
  ["cells of a spreadsheet", "Title\tDetails\nOne\ta\nTwo\t"],
])("Pasted rows of %s become items with their descriptions", (_name, text) => {
  const { items } = readPastedList(text, "pbi");
  expect(items).toEqual([
    { title: "One", description: "a", tasks: [] },
    { title: "Two", description: "", tasks: [] },
  ]);
});

it("A quoted cell of pasted CSV keeps its separators, line ends and quotes", () => {
  const { items } = readPastedList('title;body\n"Say ""hi""; twice";"one\ntwo"\n', "story");
  expect(items).toEqual([{ title: 'Say "hi"; twice', description: "one\ntwo", tasks: [] }]);
});

it("A pasted list leaves out ticked items with all below them, and counts the lines left out", () => {
  const text = "- [x] Old\n  - below\n- [ ] New\n  - [X] half\n  - other";
  expect(outline(text)).toEqual([["New", "other"]]);
  expect(readPastedList(text, "pbi").ticked).toBe(3);
});

it("A pasted list keeps deeper lines and the whole of a long line as descriptions", () => {
  const { items } = readPastedList(`- One\n  - a\n    - how\n    - why\n- ${"x".repeat(400)}`, "pbi");
  expect(items[0]?.tasks[0]?.description).toBe("- how\n- why");
  expect(items[1]?.title).toHaveLength(300);
  expect(items[1]?.description).toHaveLength(400);
  expect(readPastedList("- a\n  - how", "story").items).toMatchObject([{ title: "a", description: "- how" }]);
});

it("A pasted list is created in one step after a preview, without script, and summed up in a sentence", async () => {
  const { owner, product, pbi, story } = await t.seedWorld(0);
  const visitor = await app.visitorOf(owner);
  const panel = `/products/${product.id}/backlog?panel=paste`;
  const list = "- Fly\n  - Fold\n  - Throw\n- Land";
  const fields = { into: `pbi:${pbi.id}`, list };
  const preview = await app.submit(panel, { intent: "preview-list", ...fields }, { cookie: await app.signIn(owner) });
  expect((await preview.text()).includes("Create 2 stories and 2 tasks")).toBe(true);

  const made = await app.submit(panel, { intent: "create-list", ...fields }, { cookie: await app.signIn(owner) });
  expect(made.status).toBe(303);
  const page = await visitor.read(String(made.headers.get("location")));
  expect(page.includes("Created 2 stories and 2 tasks.")).toBe(true);
  const rows = await t.query`
      select s.title as story, t.title as task from public.stories s left join public.tasks t on t.story_id = s.id
      where s.pbi_id = ${pbi.id} and s.id <> ${story.id} order by s.sort_order, t.sort_order`;
  expect(rows.map((row) => `${row.story}: ${row.task}`)).toEqual(["Fly: Fold", "Fly: Throw", "Land: null"]);
});

it("A pasted list is created whole or not at all, has limits, and is refused to demo users and strangers", async () => {
  const { actor, product, pbi, story } = await t.seedWorld(0);
  const demo = await t.createMember(product.id, { demo: true });
  const item = (title: string): ListItem => ({ title, description: "", tasks: [] });
  const into = { story_id: story.id };
  const statusOf = ({ status }: { status: number }) => status;
  const refused = (promise: Promise<unknown>) => promise.then(() => 200, statusOf);
  const one = [item("One")];
  expect(await refused(createFromList(t.actorOf(demo), into, one))).toBe(403);
  expect(await refused(createFromList(t.actorOf(await t.createUser()), into, one))).toBe(403);
  expect(await refused(createFromList(actor, into, [...one, item("x".repeat(301))]))).toBe(422);
  expect(await refused(createFromList(actor, into, []))).toBe(422);
  const many = (count: number) => Array.from({ length: count }, (_, n) => item(`T ${n}`));
  expect(await refused(createFromList(actor, into, many(101)))).toBe(422);
  // Sixty stories and a hundred tasks a minute, however they come: no waiting would make room for more at once.
  const words = (items: ReturnType<typeof many>) =>
    createFromList(actor, { pbi_id: pbi.id }, items).then(String, ({ message }: Error) => message);
  expect(await words(many(61))).toMatch(/^A list may have 60 stories, and this one has 61\. /);
  const under = [{ ...item("One"), tasks: many(101) }];
  expect(await words(under)).toMatch(/^A list may have 100 tasks, and this one has 101\. /);
  const rows = await t.query`select (select count(*) from public.tasks where product_id = ${product.id})::int +
        (select count(*) from public.stories where product_id = ${product.id})::int as n`;
  expect(at(rows, 0).n).toBe(1);
});
