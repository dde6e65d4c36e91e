import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createTestDatabase } from "../setup/database";
import { file as backlogFile, writeBacklogFolder } from "./backlog-folder";
import { commandLine } from "./command-line";

const t = await createTestDatabase();
const admin = commandLine(t);
const ada = await t.createUser({ username: "ada" });
await t.createUser({ username: "bob" });
const { folder } = writeBacklogFolder();
const home = mkdtempSync(join(tmpdir(), "backloom-transfer-"));
/** No one may make more than five products a minute. */
beforeEach(() => t.query`delete from public.rate_limit_counters`);
afterAll(() => rmSync(home, { recursive: true, force: true }));

const leftOut = z.array(z.object({ count: z.number(), reason: z.string() }));
const named = ["--owner", "ada", "--name", "Imported", "--code"];

it("import backlog-md counts what it made, and names each file that it left out", async () => {
  const report = await admin.json("import", "backlog-md", folder, ...named, "DEMO");
  expect(report).toMatchObject({ code: "DEMO", pbis: 5, stories: 8, ideas: 3 });
  const reasons = leftOut.parse(report.left_out).map(({ reason }) => reason);
  for (const said of [
    /explains.*: readme\.md/,
    /a document.*: docs\/doc-1 - Guide\.md/,
    /YAML.*: tasks\/demo-9 - Broken\.md/,
    /front matter.*: tasks\/demo-10 - Bare\.md/,
    /Markdown.*: tasks\/picture\.png/,
    /archived.*: archive\/milestones\/m-0 - old\.md/,
    /demo-6/,
    /completed\/demo-3/,
  ])
    expect(reasons).toContainEqual(expect.stringMatching(said));
});

it("import backlog-md keeps texts, states, codes, times and all else that the files say", async () => {
  const rows = await t.query`
      select b.code as pbi, b.title as pbi_title, s.code, s.title, s.status, s.priority, s.description,
             s.acceptance_criteria, s.created_at, u.username as assignee,
             (select json_agg(json_build_array(t.code, t.title, t.status, t.implementation_plan) order by t.created_at, t.code desc)
              from tasks t where t.story_id = s.id) as tasks,
             (select string_agg(l.content, '|' order by l.created_at) from story_logs l where l.story_id = s.id) as log
      from stories s join pbis b on b.id = s.pbi_id left join users u on u.id = s.assignee_id`;
  const story = (code: string) => rows.find((row) => row.code === code);
  expect(story("DEMO-1")).toMatchObject({
    pbi: "m-1",
    pbi_title: "First Milestone",
    title: "Full task",
    status: "OPEN",
    priority: 1,
    assignee: "ada",
    created_at: new Date("2026-01-02T03:04:00Z"),
    description: expect.stringContaining("## A heading of its own"),
  });
  expect(story("DEMO-1").acceptance_criteria).toBe(
    "- [x] #1 It works\n- [ ] #2 It is fast\n\nDefinition of Done:\n- [x] #1 Tests pass",
  );
  expect(story("DEMO-1").tasks).toEqual(
    expect.arrayContaining([
      ["T-1", "Full task", "IN_PROGRESS", expect.stringContaining("not a heading in code")],
      ["DEMO-1.1", "A title that goes on over two lines", "TO_DO", null],
    ]),
  );
  for (const text of ["Noted.", "Summed up.", "labels:", "Imported from tasks/demo-1.1 - Sub.md"]) {
    expect(story("DEMO-1").log).toContain(text);
  }
  expect(story("DEMO-2.1")).toMatchObject({
    pbi: "DEMO-2",
    status: "OPEN",
    tasks: [[expect.any(String), "Child", "TO_DO", null]],
  });
  expect(story("DEMO-2.02")).toMatchObject({ pbi: "DEMO-2", status: "DONE" });
  expect(story("DEMO-7")).toMatchObject({ status: "DONE", tasks: [[expect.any(String), "Old work", "DONE", null]] });
  expect(story("DEMO-3")).toMatchObject({
    title: "Single",
    status: "OPEN",
    tasks: [[expect.any(String), "Single", "TO_DO", null]],
  });
  expect(rows.find((row) => row.title === "Twin of three").code).toMatch(/^ST-\d{3}$/);
  const ideas = await t.query`select title, archived_at is not null as archived from ideas order by 1`;
  expect(ideas).toEqual([
    { title: "Archived", archived: true },
    { title: "Dropped", archived: true },
    { title: "Thought", archived: false },
  ]);
  const products = await t.query`select definition_of_done from products`;
  expect(products).toEqual([{ definition_of_done: "- npm test passes" }]);
});

it("import backlog-md finds a folder by every way of writing its path", async () => {
  const { folder: odd } = writeBacklogFolder({
    "tasks/odd-1 - One.md": backlogFile("id: ODD-1\ntitle: One\nstatus: To Do"),
  });
  const near = `./${relative(process.cwd(), odd)}`;
  for (const [index, path] of [near, `${odd}/`, `${odd}/../${basename(odd)}`].entries()) {
    const report = await admin.json("import", "backlog-md", path, ...named, `WAY${index}`);
    expect(report).toMatchObject({ stories: 1, tasks: 1, left_out: [] });
  }
  await t.query`delete from products where code like 'WAY%'`;
});

it("import backlog-md says what each unknown status became, and reopens nothing that was archived", async () => {
  const words = { "To Do": 1, Simmering: 2, Wontfix: 3 };
  const given = Object.entries(words).flatMap(([status, n]) =>
    ["tasks", "completed", "archive/tasks", "drafts"].map((place, index) => {
      const id = `W-${n}${index}`;
      const text = backlogFile(`id: ${id}\ntitle: ${status} in ${place}\nstatus: ${status}`);
      return [`${place}/${id} - x.md`, text] as const;
    }),
  );
  const { folder: odd } = writeBacklogFolder(Object.fromEntries(given));
  const report = await admin.json("import", "backlog-md", odd, ...named, "WORDS");
  expect(report.statuses).toEqual(
    expect.arrayContaining([
      { word: "Simmering", became: "TO_DO", known: false, count: 1 },
      { word: "Simmering", became: "DONE", known: false, count: 1 },
      { word: "Simmering", became: "LEFT_OUT", known: false, count: 2 },
      { word: "Wontfix", became: "LEFT_OUT", known: true, count: 3 },
    ]),
  );
  const open = await t.query`select title from stories where status = 'OPEN' and product_id = ${report.id}
       union all select title from ideas where archived_at is null and product_id = ${report.id} order by 1`;
  expect(open.map(({ title }) => title)).toEqual([
    "Simmering in drafts",
    "Simmering in tasks",
    "To Do in drafts",
    "To Do in tasks",
    "Wontfix in drafts",
  ]);
  const { output } = await admin.run("import", "backlog-md", odd, ...named, "WORDS2");
  expect(output).toContain('"Simmering" was read as LEFT_OUT, a guess');
  await t.query`delete from products where code like 'WORDS%'`;
  await t.query`delete from ideas where title like '% in %'`;
});

it("import backlog-md skips files of endless nesting, lists, lines or bytes at once", async () => {
  const task = (extra: string, body = "") => backlogFile(`id: X-1\ntitle: X\nstatus: To Do\n${extra}`, body);
  const sound = backlogFile("id: X-2\ntitle: Sound\nstatus: To Do", `## a${" ".repeat(90_000)}b`);
  const { folder: odd } = writeBacklogFolder({
    "tasks/x-1 - brackets.md": task(`labels: ${"[".repeat(30_000)}`),
    "tasks/x-2 - sound.md": sound,
    "tasks/x-3 - lines of brackets.md": task(`labels:\n${"  [\n".repeat(15_000)}`),
    "tasks/x-4 - dashes.md": task(`labels:\n${"- ".repeat(30_000)}x`),
    "tasks/x-5 - fields.md": task(`more: ${"x".repeat(70_000)}`),
    "tasks/x-6 - lines.md": task("labels: []", "\n".repeat(60_000)),
    "tasks/x-7 - bytes.md": task("labels: []", "x".repeat(1_100_000)),
  });
  const report = await admin.json("import", "backlog-md", odd, ...named, "ENDLESS");
  expect(report).toMatchObject({ stories: 1 });
  const reasons = leftOut.parse(report.left_out).map(({ reason }) => reason);
  expect(reasons.map((reason) => reason.split(":")[1]?.trim()).sort()).toEqual([
    "front matter has more than 2000 entries",
    "front matter is longer than 64 KiB",
    "front matter is nested deeper than 32 levels",
    "has more than 50000 lines",
    "larger than 1024 KiB",
  ]);
  await t.query`delete from products where code = 'ENDLESS'`;
});

describe("export and import", () => {
  const exported = async (product: string) => {
    const { exported_at: at, ...document } = await admin.json("export", "--product", product);
    expect(at).toMatch(/Z$/);
    return document;
  };

  it("A product that is exported, deleted and imported is equal to what it was", async () => {
    const rows = await t.query`select id from products where code = 'DEMO'`;
    const productId = rows[0].id;
    await t.query`insert into product_members select ${productId}, id from users where username = 'bob'`;
    await t.query`
      with sprint as (insert into sprints (product_id, sprint_goal, status, start_date) values (${productId}, 'Goal', 'ACTIVE', '2026-01-01') returning id)
      update stories s set sprint_id = sprint.id from sprint where s.code in ('DEMO-1', 'DEMO-2.02')`;
    await t.query`
      insert into story_logs (story_id, type, content, status, commit_hash, commit_message, metadata, user_id)
      select s.id, l.type::story_log_type, 'x', l.status::story_log_status, l.hash, l.message, '{"a":[1,null,"ü"]}', ${ada.id}
      from stories s, (values ('TEST_RESULT', 'FAILED', null, null), ('COMMIT', null, 'abc', 'Message')) l (type, status, hash, message)
      where s.code = 'DEMO-1'`;
    await t.query`update pbis set status = 'BLOCKED', pr_url = 'https://example.com/1' where code = 'DEMO-2'`;
    await t.query`update tasks set status = 'FAILED', verify_required = 'ANY', estimated_minutes = 5
      where code = 'DEMO-1.1'`;
    await t.query`update products set done_requires = 'person', dependency_release = 'merged' where code = 'DEMO'`;
    await t.query`with head as (insert into story_heads (story_id, head_sha, attempt)
        select id, 'abc', 1 from stories where code = 'DEMO-1'),
      waiver as (insert into waivers (product_id, story_id, criterion, criterion_text, reason, waived_by)
        select product_id, id, private.criterion_id('It is fast'), 'It is fast', 'Not here', 'ada' from stories where code = 'DEMO-1')
      insert into evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, base_exit_code, excerpt, head_sha, observed_by, voided_by)
      select product_id, id, private.criterion_id('It works'), 'It works', 'pass', 'worker', 'command', 'npm test', 0, 1, 'ok', 'abc', 'w1', 'eva'
      from stories where code = 'DEMO-1'`;
    const before = await exported("DEMO");
    const stories = z.array(z.looseObject({ code: z.string() }));
    const pbis = z.array(z.looseObject({ stories })).parse(before.pbis);
    expect(pbis.flatMap((pbi) => pbi.stories).find(({ code }) => code === "DEMO-1")).toMatchObject({
      evidence: [
        { criterion: "It works", grade: "said", observed_by: "Import" },
        { criterion: "Tests pass", grade: "said" },
        {
          criterion: "It works",
          grade: "worker",
          command: "npm test",
          exit_code: 0,
          base_exit_code: 1,
          voided_by: "eva",
        },
      ],
      waivers: [{ criterion: "It is fast", reason: "Not here", waived_by: "ada" }],
      head_sha: "abc",
    });
    expect(before).toMatchObject({ format: "backloom-export", version: 1, counters: { story: expect.any(Number) } });

    const file = join(home, "demo.json");
    // The ideas of everyone are in it: no one else on the machine reads along, also not in a file that was there before.
    writeFileSync(file, "");
    chmodSync(file, 0o644);
    expect(await admin.json("export", "--product", "DEMO", "--out", file)).toMatchObject({ file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await t.query`delete from products where code = 'DEMO'`;
    const imported = await admin.json("import", file, "--owner", "ada");
    expect(imported).toMatchObject({ code: "DEMO", unknown_users: [] });
    expect(await exported("DEMO")).toEqual(before);
  });

  it("An import under another code and name makes a copy whose codes continue where they stopped", async () => {
    const file = join(home, "demo.json");
    const copy = await admin.json("import", file, "--owner", "bob", "--code", "COPY", "--name", "A copy");
    const rows = await t.query`insert into pbis (product_id, title) values (${copy.id}, 'Next') returning code`;
    const taken = z.object({ pbis: z.array(z.object({ code: z.string() })) });
    const { pbis } = taken.parse(JSON.parse(readFileSync(file, "utf8")));
    expect(pbis.map(({ code }) => code)).not.toContain(rows[0].code);
  });

  it("An import names users that are not here, and keeps an archived product archived", async () => {
    const text = readFileSync(join(home, "demo.json"), "utf8").replaceAll('"bob"', '"carol"');
    const archived = text.replace('"archived_at": null', '"archived_at": "2026-03-04T05:06:07Z"');
    const file = join(home, "changed.json");
    writeFileSync(file, archived);
    const imported = await admin.json("import", file, "--owner", "ada", "--code", "ARCHIVED");
    expect(imported).toMatchObject({ unknown_users: ["carol"] });
    const rows = await t.query`select archived_at from products where id = ${imported.id}`;
    expect(rows).toEqual([{ archived_at: new Date("2026-03-04T05:06:07Z") }]);
  });

  it("An import refuses a file that is not an export, and leaves no half of one behind", async () => {
    const write = (name: string, text: string) => {
      writeFileSync(join(home, name), text);
      return admin.refusal("import", join(home, name), "--owner", "ada", "--code", "BAD");
    };
    expect(await write("a.json", "{")).toMatchObject({ error: expect.stringContaining("no JSON") });
    expect(await write("deep.json", "[".repeat(100_000))).toMatchObject({
      error: expect.stringContaining("nested deeper than 64 levels"),
    });
    expect(await write("digits.json", `{"a":0.1${"0".repeat(500_000)}1}`)).toMatchObject({
      error: expect.stringContaining("not exact"),
    });
    expect(await write("b.json", "{}")).toMatchObject({ error: expect.stringContaining("backloom-export") });
    const text = readFileSync(join(home, "demo.json"), "utf8");
    const document = z.looseObject({ pbis: z.array(z.looseObject({ stories: z.array(z.unknown()) })) });
    const doubled = document.parse(JSON.parse(text));
    for (const pbi of doubled.pbis) pbi.stories = [...pbi.stories, ...pbi.stories];
    expect(await write("c.json", JSON.stringify(doubled))).toMatchObject({ code: 422 });
    const rows = await t.query`select from products where code = 'BAD'`;
    expect(rows).toEqual([]);
    expect(await admin.refusal("export", "--product", "BAD")).toMatchObject({ code: 404 });
  });
});
