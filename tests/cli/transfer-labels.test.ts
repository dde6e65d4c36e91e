import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createLabel, listLabels } from "~/nouns/labels/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { editTask } from "~/nouns/tasks/operations.server";
import { seedBacklog } from "../setup/backlog";
import { createTestDatabase } from "../setup/database";
import { createUser } from "../setup/users";
import { commandLine } from "./command-line";

const t = await createTestDatabase();
const admin = commandLine(t);
const home = mkdtempSync(join(tmpdir(), "backloom-labels-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("an export keeps labels, and its import gives them back to the same stories and tasks", async () => {
  const ada = await createUser(t, { username: "ada" });
  const actor = t.actorOf(ada);
  const { product, story, task } = await seedBacklog(t, ada);
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
