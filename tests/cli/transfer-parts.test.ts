import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { addComment, editComment } from "~/nouns/comments/operations.server";
import { addFile, listFiles, readFile } from "~/nouns/files/operations.server";
import { createLabel, listLabels } from "~/nouns/labels/operations.server";
import { listLessons } from "~/nouns/lessons/operations.server";
import { getStoryPage } from "~/nouns/pages/operations.server";
import { deleteProduct } from "~/nouns/products/operations.server";
import { addEvidence, getProof } from "~/nouns/proof/operations.server";
import { addJobComment } from "~/nouns/reviews/job-comments.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import type { ExportDocumentInput } from "~/nouns/transfers/export-document";
import { openApp } from "../setup/app";
import { addedFile, shas } from "../setup/diff-files";
import { claim } from "../setup/world";
import { file as backlogFile, writeBacklogFolder } from "./backlog-folder";
import { commandLine } from "./command-line";

const { t, app } = await openApp({ pages: true });
const admin = commandLine(t);
const home = mkdtempSync(join(tmpdir(), "backloom-transfer-"));
const ada = await t.createUser({ username: "ada" });
const actor = t.actorOf(ada);
/** No one may make more than five products a minute. */
beforeEach(() => t.query`delete from public.rate_limit_counters`);
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function copyOf(product: { id: string }, code: string, ...words: string[]) {
  const document = await admin.json("export", "--product", product.id);
  const file = join(home, `${code}.json`);
  writeFileSync(file, JSON.stringify(document));
  const { id } = await admin.json("import", file, "--owner", "ada", "--code", code, ...words);
  return { document, id: String(id) };
}

it("an export keeps comments, and its import gives them back without telling anyone again", async () => {
  const { product, pbi, story, task } = await t.seedBacklog(ada);
  await addComment(actor, { kind: "pbi", id: pbi.id, body: "On the PBI, @ada." });
  await addComment(actor, { kind: "story", id: story.id, body: "On the story." });
  const place = { kind: "task", id: task.id } as const;
  const { id: comment_id } = await addComment(actor, { ...place, body: "On the task." });
  await editComment(actor, { ...place, comment_id, body: "On the task, edited." });

  const { id } = await copyOf(product, "COMMENTS");
  const commentsOf = async (productId: unknown) => {
    const rows = await t.query`
      select c.body, c.author, c.author_id is null as is_name_only, c.created_at, c.edited_at,
        coalesce(b.code, s.code, k.code) as code
      from comments c
      left join pbis b on b.id = c.pbi_id left join stories s on s.id = c.story_id left join tasks k on k.id = c.task_id
      where c.product_id = ${productId} order by c.created_at`;
    return rows;
  };
  const before = await commentsOf(product.id);
  expect(before).toHaveLength(3);
  expect(await commentsOf(id)).toEqual(before.map((row) => ({ ...row, is_name_only: true })));
  const rows = await t.query`select count(*)::int as count from comment_mentions`;
  expect(rows).toEqual([{ count: 0 }]);
});

it("an export keeps labels, and its import gives them back to the same stories and tasks", async () => {
  const { product, story, task } = await t.seedBacklog(ada);
  await createLabel(actor, { product_id: product.id, name: "bug", color: "#123456" });
  await createLabel(actor, { product_id: product.id, name: "Web" });
  await updateStory(actor, { story_id: story.id, labels: ["web", "bug"] });
  await editTask(actor, { task_id: task.id, labels: ["bug"] });
  const { id } = await copyOf(product, "LABELS");
  const { labels } = await listLabels(actor, { product_id: id });
  expect(labels).toEqual([
    { id: expect.any(String), name: "bug", color: "#123456" },
    { id: expect.any(String), name: "Web", color: expect.stringMatching(/^#/) },
  ]);
  const rows = await t.query`select (select array_agg(l.name order by lower(l.name)) from labels l
      where l.id = any (x.label_ids)) as names
     from (select code, label_ids from stories where product_id = ${id} union all select code, label_ids from tasks
       where product_id = ${id}) x
     order by x.code`;
  expect(rows.map(({ names }) => names)).toEqual([["bug", "Web"], ["bug"], null]);
});

it("an export keeps lessons with what they did, and the import of a trusted file counts on", async () => {
  const { product, task } = await t.seedBacklog(ada);
  await t.query`insert into public.lessons (product_id, text, cause, status, task_id, accepted_by, since, counted_from,
    before, after, created_at)
     values (${product.id}, 'Test it.', 'ci_failed', 'accepted', ${task.id}, 'eve', now(), now(),
       '{5,12}', '{1,14}', now() - interval '2 days'),
       (${product.id}, 'Guess.', 'proof_voided', 'declined', null, null, null, null,
         '{1,2}', '{0,0}', now() - interval '1 day')`;
  const doubted = await copyOf(product, "DOUBTED");
  expect((await listLessons(actor, { product_id: doubted.id })).lessons).toMatchObject([
    { text: "Test it.", status: "proposed", accepted_by: null },
    { text: "Guess.", status: "declined" },
  ]);
  const { document, id } = await copyOf(product, "LESSONS", "--trust");
  expect((await listLessons(actor, { product_id: id })).lessons).toMatchObject([
    {
      text: "Test it.",
      status: "accepted",
      accepted_by: "eve",
      before: [5, 12],
      after: [1, 14],
      source: { job_id: null, cause: "ci_failed", task: { code: "T-1" } },
    },
    { text: "Guess.", status: "declined", since: null, before: [1, 2] },
  ]);
  const again = await admin.json("export", "--product", id);
  expect(again.lessons).toEqual(document.lessons);
});

/** What waits for what in a product, as `blocked > blocker`. */
async function waitsIn(productId: unknown): Promise<string[]> {
  const rows = await t.query`select a.code || ' > ' || b.code as edge from public.story_dependencies d
     join public.stories a on a.id = d.blocked_id join public.stories b on b.id = d.blocker_id
       where d.product_id = ${productId}
     union all
     select 'task ' || a.code || ' > task ' || b.code from public.task_dependencies d
     join public.tasks a on a.id = d.blocked_id join public.tasks b on b.id = d.blocker_id
       where d.product_id = ${productId}
     order by 1`;
  return rows.map(({ edge }) => edge);
}

describe("dependencies of a Backlog.md folder", () => {
  const task = (number: string, more: string) =>
    backlogFile(`id: BACK-${number}\ntitle: Number ${number}\nstatus: To Do\n${more}`);

  it("A dependency in a Backlog.md folder names a task, even if a draft or milestone has its number", async () => {
    const { folder } = writeBacklogFolder({
      "archive/tasks/back-5 - Old.md": task("5", "milestone: m-1"),
      "drafts/draft-3 - Thought.md": backlogFile("id: draft-3\ntitle: Thought"),
      "milestones/m-1 - First.md": backlogFile("id: m-1\ntitle: First"),
      "tasks/back-1 - One.md": task("1", "milestone: m-1"),
      "tasks/back-2 - Two.md": task("2", "dependencies: [task-1]"),
      "tasks/back-3 - Three.md": task("3", "milestone: m-1"),
      "tasks/back-4 - Four.md": task("4", "dependencies: [BACK-03]"),
      "tasks/back-5 - Five.md": task("5", ""),
      "tasks/back-6 - Six.md": task("6", "dependencies: ['5', draft-3]"),
    });
    const words = ["--owner", "ada", "--name", "Numbers", "--code", "NUMBERS"];
    const report = await admin.json("import", "backlog-md", folder, ...words);
    expect(report.dependencies).toBe(3);
    const waits = ["BACK-2 > BACK-1", "BACK-4 > BACK-3", "BACK-6 > BACK-5"];
    expect(await waitsIn(report.id)).toEqual(waits);
    expect(report.left_out).toEqual([{ count: 1, reason: "Dependencies on what is not imported: BACK-6 on draft-3" }]);
  });

  it("A dependency on a part of another story becomes a dependency of stories", async () => {
    const { folder } = writeBacklogFolder({
      "milestones/m-1 - First.md": backlogFile("id: m-1\ntitle: First"),
      "completed/back-1 - One.md": task("1", "milestone: m-1"),
      "tasks/back-2 - Two.md": task("2", "milestone: m-1"),
      "tasks/back-2.1 - Part.md": task("2.1", "parent_task_id: BACK-2\ndependencies: [BACK-1]"),
      "tasks/back-2.2 - Part.md": task("2.2", "parent_task_id: BACK-2\ndependencies: [BACK-2]"),
      "tasks/back-2.3 - Part.md": task("2.3", "parent_task_id: BACK-2\ndependencies: [BACK-4]"),
      "completed/back-3 - Three.md": task("3", "milestone: m-1\ndependencies: [BACK-2.1]"),
      "tasks/back-4 - Four.md": task("4", "milestone: m-1"),
    });
    const words = ["--owner", "ada", "--name", "Parts", "--code", "PARTS"];
    const report = await admin.json("import", "backlog-md", folder, ...words);
    expect(await waitsIn(report.id)).toEqual(["BACK-2 > BACK-1", "BACK-2 > BACK-4", "BACK-3 > BACK-2"]);
    expect(report.dependencies).toBe(3);
    expect(report.left_out).toContainEqual({
      count: 1,
      reason: "Dependencies between a story and its own part: BACK-2/BACK-2.2 on BACK-2",
    });
  });
});

describe("dependencies of an export file", () => {
  const story = (code: string, blocked_by: string[]) => ({ code, title: code, blocked_by });

  it.each([
    ["a circle", [story("ST-1", ["ST-2"]), story("ST-2", ["ST-1"])], "ST-2"],
    ["a story that is not in it", [story("ST-1", []), story("ST-2", ["ST-9"])], "ST-2"],
  ])("An export whose dependencies have %s is refused whole, with the fault named", async (_name, stories, wrong) => {
    const document: ExportDocumentInput = {
      format: "backloom-export",
      version: 1,
      product: { code: "WRONG", name: "Wrong" },
      pbis: [{ title: "All", stories }],
    };
    const file = join(home, "wrong.json");
    writeFileSync(file, JSON.stringify(document));
    expect(await admin.refusal("import", file, "--owner", "ada")).toMatchObject({
      error: expect.stringContaining("Nothing was imported"),
      code: 422,
      issues: [{ path: `blocked_by of ${wrong}`, message: expect.any(String) }],
    });
    const rows = await t.query`select from products where code = 'WRONG'`;
    expect(rows).toEqual([]);
    const { output, exitCode } = await admin.run("import", file, "--owner", "ada");
    expect([exitCode, output]).toEqual([1, expect.stringContaining(`blocked_by of ${wrong}`)]);
  });
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function seed(name: string) {
  const { product, story, task } = await t.seedBacklog(ada);
  const add = (place: object, as: string, content = png) => {
    const type = content === png ? ("image/png" as const) : ("text/plain" as const);
    const file = { name: as, type, content: content.toString("base64") };
    return addFile(actor, { product_id: product.id, ...place, ...file });
  };
  const shot = await add({ story_id: story.id }, "shot.png");
  await add({ task_id: task.id }, "notes.txt", Buffer.from("Hello"));
  const quoted = await add({}, "quoted.png");
  await updateStory(actor, { story_id: story.id, description: `Like ![this](${shot.url}).` });
  const body = `As ![here](${quoted.url})`;
  await addComment(actor, { kind: "task", id: task.id, body });
  const { criteria } = await getProof(actor, { story_id: story.id });
  const criterion = criteria[0]?.id ?? "";
  const before = await add({ story_id: story.id }, "before.png");
  await addEvidence(actor, { story_id: story.id, criterion, file: shot.id, base_file: before.id });
  const [document, folder] = [join(home, `${name}.json`), join(home, name)];
  return { product, shot, document, folder };
}

it("An export writes files into a folder, and its import restores them with the texts that show them", async () => {
  const { product, shot, document, folder } = await seed("whole");
  const words = ["--product", product.id, "--out", document, "--files", folder];
  expect(await admin.json("export", ...words)).toMatchObject({ files: 4 });
  const names = readdirSync(folder);
  expect(names).toHaveLength(4);
  expect(statSync(join(folder, `${shot.id}.png`)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, `${shot.id}.png`)).equals(png)).toBe(true);

  const copy = await admin.json("import", document, "--owner", "ada", "--code", "COPY", "--files", folder);
  const product_id = String(copy.id);
  const { files, used } = await listFiles(actor, { product_id });
  expect(used).toBe(3 * png.length + 5);
  expect(files.map(({ name, comment_id }) => [name, comment_id !== null]).sort()).toEqual([
    ["before.png", false],
    ["notes.txt", false],
    ["quoted.png", true],
    ["shot.png", false],
  ]);
  const copied = files.find(({ name }) => name === "shot.png");
  expect(copied?.id).not.toBe(shot.id);
  const page = await getStoryPage(actor, { story_id: copied?.story_id ?? "" });
  expect(page.story.description).toBe(`Like ![this](${copied?.url}).`);
  const { criteria } = await getProof(actor, { story_id: page.story.id });
  expect(criteria[0]?.evidence).toMatchObject([{ file: { id: copied?.id }, base_file: { name: "before.png" } }]);
  const read = await readFile(actor, { file_id: copied?.id ?? "", length: png.length });
  expect(Buffer.from(read.content ?? "", "base64").equals(png)).toBe(true);

  // Where the ids are free, the same comes out again.
  await deleteProduct(actor, { product_id: product.id, code: product.code });
  await admin.json("import", document, "--owner", "ada", "--files", folder);
  const again = join(home, "again.json");
  await admin.json("export", "--product", product.code, "--out", again);
  const textOf = (path: string) => readFileSync(path, "utf8").replace(/"exported_at": .*/, "");
  expect(textOf(again)).toBe(textOf(document));
});

it("An import with missing or wrong files imports nothing; one without a folder leaves files out", async () => {
  const { product, shot, document, folder } = await seed("part");
  const out = ["--product", product.id, "--out", document];
  expect((await admin.run("export", ...out)).output).toContain("Files: 4, not included.");
  await admin.json("export", ...out, "--files", folder);
  const count = async () => (await t.query`select count(*) from products`)[0];
  const before = await count();
  const words = ["import", document, "--owner", "ada", "--code", "PART"];
  const path = join(folder, `${shot.id}.png`);
  writeFileSync(path, "<script>alert(1)</script>");
  expect((await admin.run(...words, "--files", folder)).output).toContain("is no image/png");
  rmSync(path);
  expect((await admin.run(...words, "--files", folder)).output).toContain("is missing: shot.png");
  expect(await count()).toEqual(before);

  const { output } = await admin.run(...words);
  expect(output).toContain("Files: 4, left out.");
  const rows = await t.query`select count(*)::int as count from files f join products p
    on p.id = f.product_id where p.code = 'PART'`;
  expect(rows).toEqual([{ count: 0 }]);
});

/** Export, delete, import: the new product's document, and that of the one before. */
async function move(product: { id: string; code: string }, owner: string) {
  const document = () => admin.json("export", "--product", `${owner}/${product.code}`);
  const { exported_at: _then, ...before } = await document();
  const file = join(home, `${product.id}.json`);
  await admin.json("export", "--product", product.id, "--out", file);
  await t.query`delete from products where id = ${product.id}`;
  await admin.json("import", file, "--owner", owner);
  const { exported_at: _now, ...after } = await document();
  return { before, after };
}

it("An export keeps reviews and comments with their task, and the newest reaches the next attempt", async () => {
  const { world, job, report, task } = await t.holdJob();
  const { actor, owner } = world;
  await saveJobDiff(actor, { job_id: job.id, attempt: 1, ...shas, files: [addedFile("one.ts", "first", "second")] });
  await report({ status: "done", verify_result: "ALIGNED" });
  const comment = { job_id: job.id, path: "one.ts", side: "new" } as const;
  await addJobComment(actor, { ...comment, line: 2, body: "Why <b>second</b>?" });
  await reviewJob(actor, { job_id: job.id, verdict: "request_changes", summary: "Nearly." });
  await addJobComment(actor, { ...comment, line: 1, body: "A draft is mine alone" });

  const { before, after } = await move(world.product, owner.username);
  expect(after).toEqual(before);
  expect(JSON.stringify(before)).not.toContain("mine alone");
  expect(before).toMatchObject({
    pbis: [
      {
        stories: [
          {
            tasks: [
              {
                reviews: [
                  {
                    attempt: 1,
                    verdict: "request_changes",
                    summary: "Nearly.",
                    author: owner.username,
                    handed_in_at: expect.any(String),
                    first_seen_at: null,
                    comments: [{ path: "one.ts", line: 2, line_text: "second", body: "Why <b>second</b>?" }],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  });

  const rows = await t.query<{ task: string; sprint: string }>`
    select t.id as task, s.sprint_id as sprint from tasks t join stories s on s.id = t.story_id
    join products p on p.id = t.product_id where p.owner_id = ${owner.id}`;
  const [imported] = rows;
  if (!imported) throw new Error(`${task.code} did not come back`);
  const page = await (await app.visitorOf(owner)).read(`/tasks/${imported.task}`);
  for (const words of ["Nearly.", "one.ts", "Why &lt;b&gt;second&lt;/b&gt;?"]) {
    expect(page).toContain(words);
  }
  await startSprintRun(actor, { sprint_id: imported.sprint });
  expect((await claim(actor)).review).toMatchObject([
    { path: null, body: "Nearly." },
    { path: "one.ts", line: 2, line_text: "second" },
  ]);
});

it("An export keeps the review of a batch, with the batch's first task", async () => {
  const world = await t.seedSprint({ strategy: "SPRINT_BATCH", stories: [1, 1] });
  await world.start();
  const job = await claim(world.actor);
  await t.query`insert into job_reviews (job_id, product_id, attempt, verdict, summary, author)
    values (${job.id}, ${world.product.id}, 1, 'approve', 'All of it', 'eva')`;
  const { before, after } = await move(world.product, world.owner.username);
  expect(after).toEqual(before);
  expect(JSON.stringify(before).match(/All of it/g)).toHaveLength(1);
  expect(before).toMatchObject({
    pbis: [
      {
        stories: [
          { tasks: [{ reviews: [{ verdict: "approve", author: "eva", comments: [] }] }] },
          { tasks: [{ reviews: [] }] },
        ],
      },
    ],
  });
});
