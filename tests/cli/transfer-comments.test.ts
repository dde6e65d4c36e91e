import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { addComment, editComment } from "~/nouns/comments/operations.server";
import { createTestDatabase } from "../setup/database";
import { commandLine } from "./command-line";

const t = await createTestDatabase();
const admin = commandLine(t);
const home = mkdtempSync(join(tmpdir(), "backloom-comments-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("an export keeps comments, and its import gives them back without telling anyone again", async () => {
  const ada = await t.createUser({ username: "ada" });
  const actor = t.actorOf(ada);
  const { product, pbi, story, task } = await t.seedBacklog(ada);
  await addComment(actor, { kind: "pbi", id: pbi.id, body: "On the PBI, @ada." });
  await addComment(actor, { kind: "story", id: story.id, body: "On the story." });
  const place = { kind: "task", id: task.id } as const;
  const { id: comment_id } = await addComment(actor, { ...place, body: "On the task." });
  await editComment(actor, { ...place, comment_id, body: "On the task, edited." });

  const document = await admin.json("export", "--product", product.id);
  const file = join(home, "export.json");
  writeFileSync(
    file,
    JSON.stringify(document).replace(`"code":"${product.code}"`, '"code":"AGAIN"'),
  );
  const { id } = await admin.json("import", file, "--owner", "ada");
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
