import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createLabel, listLabels } from "~/nouns/labels/operations.server";
import { listLessons } from "~/nouns/lessons/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../setup/database";
import { commandLine } from "./command-line";

const t = await createTestDatabase();
const admin = commandLine(t);
const home = mkdtempSync(join(tmpdir(), "backloom-labels-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("an export keeps labels, and its import gives them back to the same stories and tasks", async () => {
  const ada = await t.createUser({ username: "ada" });
  const actor = t.actorOf(ada);
  const { product, story, task } = await t.seedBacklog(ada);
  await createLabel(actor, { product_id: product.id, name: "bug", color: "#123456" });
  await createLabel(actor, { product_id: product.id, name: "Web" });
  await updateStory(actor, { story_id: story.id, labels: ["web", "bug"] });
  await editTask(actor, { task_id: task.id, labels: ["bug"] });
  const document = await admin.json("export", "--product", product.id);
  const file = join(home, "export.json");
  writeFileSync(
    file,
    JSON.stringify(document).replace(`"code":"${product.code}"`, '"code":"AGAIN"'),
  );
  const { id } = await admin.json("import", file, "--owner", "ada");
  const { labels } = await listLabels(actor, { product_id: String(id) });
  expect(labels).toEqual([
    { id: expect.any(String), name: "bug", color: "#123456" },
    { id: expect.any(String), name: "Web", color: expect.stringMatching(/^#/) },
  ]);
  const { rows } = await t.sql.query(
    `select (select array_agg(l.name order by lower(l.name)) from labels l where l.id = any (x.label_ids)) as names
     from (select code, label_ids from stories where product_id = $1 union all select code, label_ids from tasks where product_id = $1) x
     order by x.code`,
    [id],
  );
  expect(rows.map(({ names }) => names)).toEqual([["bug", "Web"], ["bug"], null]);
});

it("an export keeps lessons with what they did, and an import counts on from there", async () => {
  const eve = await t.createUser({ username: "eve" });
  const actor = t.actorOf(eve);
  const { product, task } = await t.seedBacklog(eve);
  await t.sql.query(
    `insert into public.lessons (product_id, text, cause, status, task_id, accepted_by, since, counted_from, before, after, created_at)
     values ($1, 'Test it.', 'ci_failed', 'accepted', $2, 'eve', now(), now(), '{5,12}', '{1,14}', now() - interval '2 days'),
       ($1, 'Guess.', 'proof_voided', 'declined', null, null, null, null, '{1,2}', '{0,0}', now() - interval '1 day')`,
    [product.id, task.id],
  );
  const document = await admin.json("export", "--product", product.id);
  const file = join(home, "lessons.json");
  writeFileSync(
    file,
    JSON.stringify(document).replace(`"code":"${product.code}"`, '"code":"MORE"'),
  );
  const { id } = await admin.json("import", file, "--owner", "eve");
  expect((await listLessons(actor, { product_id: String(id) })).lessons).toMatchObject([
    {
      ...{ text: "Test it.", status: "accepted", accepted_by: "eve", before: [5, 12] },
      ...{ after: [1, 14], source: { job_id: null, cause: "ci_failed", task: { code: "T-1" } } },
    },
    { text: "Guess.", status: "declined", since: null, before: [1, 2] },
  ]);
  const again = await admin.json("export", "--product", String(id));
  expect(again.lessons).toEqual(document.lessons);
});
