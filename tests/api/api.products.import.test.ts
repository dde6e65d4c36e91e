import { strToU8, zipSync } from "fflate";
import { expect, it, onTestFinished } from "vitest";
import { exportProduct } from "~/nouns/transfers/operations.server";
import { followedImportSchema, type ImportReport } from "~/wire/transfers/contract";
import { openApp } from "../setup/app";
import { github, jira, linear, manyOfLinear, trello } from "../transfers/exports";
import { mover, newProduct, type Part, stock } from "../transfers/mover";

const { t, app } = await openApp();

const counts = ({ pbis, stories, tasks, labels, already_there }: ImportReport) => {
  return { pbis, stories, tasks, labels, already_there };
};

it("A Linear import takes projects, states, priorities, people, labels, sub-issues, and counts the rest", async () => {
  const ada = await t.createUser({ username: "ada" });
  const { preview, move } = await mover(t, app, ada);
  const target = { format: "linear", ...newProduct() };
  const seen = await preview(target, ["linear.csv", linear]);
  const done = await move(target, ["linear.csv", linear]);
  expect(counts(done)).toEqual({ pbis: 2, stories: 2, tasks: 3, labels: 2, already_there: 0 });
  expect({ ...seen, preview: false, product: done.product }).toEqual(done);
  expect(seen.product.id).toBeNull();
  expect(done.left_out).toEqual([
    { count: 1, reason: "Canceled or a duplicate in Linear" },
    { count: 1, reason: "Archived in Linear" },
    { count: 13, reason: "Fields without a place here: Team, Project ID, Creator, Updated" },
  ]);
  expect(done.unknown_people).toEqual(["eve@example.com"]);
  expect(await stock(t, done.product.id)).toMatchObject([
    {
      pbi: "Imported from Linear",
      code: "ENG-3",
      status: "OPEN",
      priority: 3,
      tasks: ["Remember me TO_DO"],
      labels: ["Web"],
    },
    {
      pbi: "Accounts",
      code: "ENG-1",
      title: "Sign in, at last",
      priority: 1,
      assignee: "ada",
      labels: ["Bug", "Web"],
      tasks: ["Check the password DONE", "Sign in, at last IN_PROGRESS"],
      description: "Line one\n\n- a list\n\nEstimate: 3",
      created_at: new Date("2026-03-01T10:00:00Z"),
    },
  ]);
});

it("The same file imported again makes nothing twice, and a longer one only what is new", async () => {
  const { move } = await mover(t, app, await t.createUser());
  const first = await move({ format: "linear", ...newProduct() }, ["a.csv", linear]);
  const into = { format: "linear", product_id: String(first.product.id) };
  const again = await move(into, ["a.csv", linear]);
  expect(counts(again)).toEqual({ pbis: 0, stories: 0, tasks: 0, labels: 0, already_there: 2 });
  const longer = `${linear}\nENG-6,Engineering,One more,,Todo,,Low,,,,,New,,,,,,,\nENG-7,Engineering,A part,,Todo,,Low,,,,,,,,,,,,ENG-3`;
  const added = { pbis: 0, stories: 1, tasks: 2, labels: 1, already_there: 2 };
  expect(counts(await move(into, ["a.csv", longer]))).toEqual(added);
  expect(await stock(t, first.product.id)).toHaveLength(3);
});

it("A GitHub import takes milestones, boxes of task lists and comments, and nothing not planned", async () => {
  const { move } = await mover(t, app, await t.createUser());
  const done = await move({ format: "github", ...newProduct() }, ["issues.json", github]);
  expect(counts(done)).toMatchObject({ pbis: 2, stories: 2, tasks: 3, labels: 1 });
  expect(done.left_out).toEqual([{ count: 1, reason: "Closed as not planned or as a duplicate on GitHub" }]);
  expect(await stock(t, done.product.id)).toMatchObject([
    {
      pbi: "1.0",
      code: "GH-7",
      labels: ["bug"],
      tasks: ["Find it DONE", "Mend it TO_DO"],
      description: expect.stringContaining("## Comments\n\n**bob**, 2026-02-04T00:00:00Z:\n\nMe too"),
    },
    { pbi: "Imported from GitHub", code: "GH-8", status: "DONE", tasks: ["Docs DONE"] },
  ]);
});

it("A Jira import takes repeated columns, epics, sub-tasks and estimates, and markup as Markdown", async () => {
  const ada = await t.createUser({ username: "ada-of-jira" });
  const { move } = await mover(t, app, ada);
  const file = jira.replace(",,ada,", ",,ada-of-jira,");
  const done = await move({ format: "jira", ...newProduct() }, ["jira.csv", file]);
  expect(counts(done)).toMatchObject({ pbis: 1, stories: 1, tasks: 2, labels: 2 });
  expect(done.left_out).toEqual([{ count: 1, reason: "Closed without being done in Jira" }]);
  expect(await stock(t, done.product.id)).toMatchObject([
    {
      pbi: "Checkout",
      code: "SHOP-2",
      title: "Pay by card",
      priority: 1,
      labels: ["payments", "web"],
      tasks: ["Form DONE 120", "Pay by card REVIEW"],
      description: expect.stringMatching(/^Use `stripe`\n1\. one\n1\. two\n\n## Comments\n\n\*\*bob\*\*/),
      created_at: new Date("2025-11-23T09:06:00Z"),
    },
  ]);
});

it("A Trello import makes states or PBIs of lists and tasks of checklists, and leaves archived cards", async () => {
  const { move } = await mover(t, app, await t.createUser());
  const done = await move({ format: "trello", ...newProduct() }, ["board.json", trello]);
  expect(counts(done)).toMatchObject({ pbis: 2, stories: 3, tasks: 4, labels: 1 });
  expect(done.left_out).toEqual([
    { count: 3, reason: "Fields without a place here: checklist.name, board.id, board.labels" },
    { count: 1, reason: "Archived in Trello" },
  ]);
  expect(await stock(t, done.product.id)).toMatchObject([
    { pbi: "Ideas for spring", title: "A pond", tasks: ["A pond TO_DO"] },
    { pbi: "Garden", title: "Buy soil", status: "DONE" },
    {
      pbi: "Garden",
      title: "Plant beans",
      labels: ["green"],
      tasks: ["Dig DONE", "Sow TO_DO"],
      description: expect.stringContaining("Two rows"),
    },
  ]);
});

it("A Backlog.md import takes a zip of the project around its folder, or single files of it", async () => {
  const { move } = await mover(t, app, await t.createUser());
  const task = (id: number, more: string) =>
    `---\nid: BACK-${id}\ntitle: Number ${id}\nlabels: [docs]\n${more}---\n## Description\n\nSaid.\n`;
  const zip = zipSync({
    "app/README.md": strToU8("# App"),
    "app/backlog/config.yml": strToU8("project_name: App"),
    "app/backlog/tasks/back-1 - One.md": strToU8(task(1, "status: To Do\n")),
    "app/backlog/tasks/back-2 - Two.md": strToU8(task(2, "status: Done\n")),
    "app/backlog/drafts/draft-3 - Three.md": strToU8("---\nid: draft-3\ntitle: Three\n---\n"),
  });
  const target = { format: "backlog-md", ...newProduct() };
  const done = await move(target, ["backlog.zip", new Uint8Array(zip)]);
  expect(counts(done)).toMatchObject({ stories: 2, tasks: 2, labels: 1 });
  expect(done).toMatchObject({ ideas: 1, left_out: [] });
  expect(await stock(t, done.product.id)).toMatchObject([
    { code: "BACK-1", status: "OPEN", labels: ["docs"], tasks: ["Number 1 TO_DO"] },
    { code: "BACK-2", status: "DONE", labels: ["docs"] },
  ]);
  // The names that earlier releases gave, so that what they imported is found again.
  const ids = await t.query`select external_id from tasks where product_id = ${done.product.id} order by 1`;
  expect(ids.map(({ external_id }) => external_id)).toEqual(["backlog-md:BACK-1/own-1", "backlog-md:BACK-2/own-1"]);
  const again = await move(
    { format: "backlog-md", product_id: String(done.product.id) },
    ["back-1 - One.md", task(1, "status: To Do\n")],
    ["back-4 - Four.md", task(4, "status: To Do\n")],
  );
  expect(counts(again)).toMatchObject({ stories: 1, already_there: 1 });
  const into = { format: "backlog-md", product_id: String(done.product.id) };
  const whole = await move(into, ["backlog.zip", new Uint8Array(zip)]);
  expect(whole).toMatchObject({ stories: 0, tasks: 0, ideas: 0, already_there: 2 });
});

it("An import of a Backloom export takes what was planned, and leaves out sprints", async () => {
  const owner = await t.createUser();
  const { product } = await t.seedBacklog(owner);
  const document = await exportProduct(t.actorOf(owner).database, { product_id: product.id });
  const { move } = await mover(t, app, owner);
  const done = await move({ format: "backloom", ...newProduct() }, ["export.json", JSON.stringify(document)]);
  expect(counts(done)).toMatchObject({ pbis: 1, stories: 1, tasks: 2 });
  expect(done.left_out).toContainEqual({ count: 1, reason: "document.sprints: admin import brings it" });
  expect(await stock(t, done.product.id)).toMatchObject([
    { title: "Export as CSV", tasks: ["Write rows TO_DO", expect.any(String)] },
  ]);
});

it("A thousand stories are imported in one transaction, and none of them twice", async () => {
  const { move } = await mover(t, app, await t.createUser());
  const file = manyOfLinear(1_000);
  const done = await move({ format: "linear", ...newProduct() }, ["linear.csv", file]);
  // 800 have no part and get a task of their own, as do the done ones whose only part is not.
  expect(counts(done)).toEqual({ pbis: 7, stories: 1_000, tasks: 1_000, labels: 1, already_there: 0 });
  const rows = await t.query`select count(distinct xmin::text)::int as writers from stories
      where product_id = ${done.product.id} and status = 'OPEN' and label_ids <> '{}'`;
  expect(rows[0]?.writers).toBe(1);
  const again = { format: "linear", product_id: String(done.product.id) };
  expect(counts(await move(again, ["linear.csv", file]))).toMatchObject({ stories: 0, tasks: 0, already_there: 1_000 });
});

it("An import that answers at once is followed to its report, one of an account at a time", async () => {
  const ada = await t.createUser();
  const headers = { ...(await t.bearerOf(ada)), prefer: "respond-async" };
  const { move } = await mover(t, app, ada);
  const begin = (fields: Record<string, string>, name: string, text: string) => {
    const body = new FormData();
    for (const [key, value] of Object.entries({ format: "linear", ...fields })) body.set(key, value);
    body.append("file", new File([text], name));
    return app.request("/api/products/import", { method: "POST", headers, body });
  };
  const file = manyOfLinear(1_000);
  const read = async (path: string) =>
    followedImportSchema.parse(await (await app.request(path, { headers })).json()).import;
  const ended = async (path: string) => {
    await expect.poll(async () => (await read(path)).state, { timeout: 60_000 }).not.toBe("running");
    return read(path);
  };
  const writing = await t.sql.connect();
  onTestFinished(() => writing.release(true));
  await writing.query("begin; lock table public.tasks in share mode");
  const target = newProduct();
  const begun = await begin(target, "a.csv", file);
  expect([begun.status, begun.headers.get("preference-applied")]).toEqual([202, "respond-async"]);
  const { import: first } = followedImportSchema.parse(await begun.json());
  expect(first).toMatchObject({ state: "running", done: 0, of: 2_000, report: null, error: null });
  const path = begun.headers.get("location") ?? "";
  expect(path).toBe(`/api/imports/${first.id}`);
  await expect.poll(async () => (await read(path)).done, { timeout: 60_000 }).toBe(1_000);
  expect((await begin(newProduct(), "b.csv", linear)).status).toBe(409);
  await writing.query("rollback");
  const done = await ended(path);
  expect(done).toMatchObject({ state: "done", done: 2_000, of: 2_000, error: null });
  const { product_id, ...counted } = { product_id: String(done.report?.product.id), ...done.report };
  expect(counted).toMatchObject({ stories: 1_000, tasks: 1_000, preview: false });
  const again = await move({ format: "linear", product_id }, ["a.csv", file]);
  expect({ ...again, already_there: 0 }).toMatchObject({ left_out: counted.left_out, rows: counted.rows });
  const refused = await ended((await begin(target, "a.csv", file)).headers.get("location") ?? "");
  expect(refused).toMatchObject({
    state: "failed",
    report: null,
    error: expect.stringContaining("already have a product"),
  });
  const other = await app.request(path, { headers: await t.bearerOf(await t.createUser()) });
  expect(other.status).toBe(404);
});

it("A refused import leaves nothing behind, and neither does a preview", async () => {
  const owner = await t.createUser();
  const { send, preview } = await mover(t, app, owner);
  const fields = { format: "linear", ...newProduct() };
  await preview(fields, ["linear.csv", linear]);
  const product = await t.seedProduct(owner);
  const taken = await send({ ...fields, code: product.code }, ["linear.csv", linear]);
  expect(taken.status).toBe(422);
  const rows = await t.query`select code from products where owner_id = ${owner.id}`;
  expect(rows).toEqual([{ code: product.code }]);
});

it("An import of a file that is not in its format is refused with the reason", async () => {
  const refusals: [string, Part, string][] = [
    ["linear", github, "not a CSV file"],
    ["linear", jira, "not a CSV export of Linear"],
    ["jira", linear, "the column Summary"],
    ["github", linear, "it is not valid JSON"],
    ["trello", github, "export of a Trello board"],
    ["backloom", trello, "an export of Backloom"],
    ["backlog-md", "just a text", "no Backlog.md tasks"],
    ["linear", new Uint8Array([0xff, 0xfe, 0x00]), "neither UTF-8 nor UTF-16 text"],
    ["linear", "ID,Title,Status\n", "nothing to import"],
    ["github", "[".repeat(100_000), "it is not valid JSON"],
  ];
  for (const [format, file, words] of refusals) {
    const { send } = await mover(t, app, await t.createUser());
    const refused = await send({ format, ...newProduct() }, ["file", file]);
    expect([format, refused.status, await refused.json()]).toEqual([
      format,
      422,
      { code: 422, error: expect.stringContaining(words) },
    ]);
  }
  const { send } = await mover(t, app, await t.createUser());
  const wrong: Record<string, string>[] = [
    { format: "excel", ...newProduct() },
    { format: "linear" },
    { format: "linear", name: "No code" },
    { format: "linear", ...newProduct(), product_id: crypto.randomUUID() },
  ];
  for (const fields of wrong) expect((await send(fields, ["a.csv", linear])).status).toBe(422);
  expect((await send({ format: "linear", ...newProduct() })).status).toBe(422);
});

it("An import refuses files that are too large, and zips that unpack to too much", async () => {
  const { send } = await mover(t, app, await t.createUser());
  // Before the first call: packing takes seconds, in which no one sees that a refused connection has ended.
  const mebibyte = new Uint8Array(1024 * 1024).fill(97);
  const bomb = zipSync(
    Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`tasks/back-${index}.md`, mebibyte])),
    { level: 9 },
  );
  const large = await send({ format: "linear", ...newProduct() }, [
    "a.csv",
    new Uint8Array(10 * 1024 * 1024 + 100_000),
  ]);
  expect(large.status).toBe(413);
  const refused = await send({ format: "backlog-md", ...newProduct() }, ["bomb.zip", new Uint8Array(bomb)]);
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { error: expect.stringContaining("unpacks to more") },
  ]);
});

it("An import into an unknown product is 404, and one by strangers or demo accounts 403", async () => {
  const owner = await t.createUser();
  const product = await t.seedProduct(owner);
  const into = { format: "linear", product_id: product.id };
  const stranger = await mover(t, app, await t.createUser());
  expect((await stranger.send(into, ["a.csv", linear])).status).toBe(403);
  const unknown = { ...into, product_id: "00000000-0000-4000-8000-000000000000" };
  expect((await stranger.send(unknown, ["a.csv", linear])).status).toBe(404);
  const visitor = await t.createMember(product.id, { demo: true });
  const demo = await mover(t, app, visitor);
  expect((await demo.send(into, ["a.csv", linear])).status).toBe(403);
  expect((await demo.send({ format: "linear", ...newProduct() }, ["a.csv", linear])).status).toBe(403);
  const plain = await app.request("/api/products/import", { method: "POST", body: new FormData() });
  expect(plain.status).toBe(401);
});

it.each([
  ["in chunks", "multipart/form-data; boundary=b", () => new Blob(["--b--\r\n"]).stream()],
  ["as no form", "text/plain", () => "no form"],
])("An import sent %s counts toward the limit before its body is read", async (_, type, body) => {
  const headers = { ...(await t.bearerOf(await t.createUser())), "content-type": type };
  const send = () => {
    const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body: body(), duplex: "half" };
    return app.request("/api/products/import", init);
  };
  for (let n = 0; n < 10; n += 1) expect((await send()).status).not.toBe(429);
  expect((await send()).status).toBe(429);
});
