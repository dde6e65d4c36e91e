import { describe, expect, it } from "vitest";
import { deleteTask, setTaskStatus } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";

const t = await createTestDatabase();

/** Tasks of a product: noted as waiting for review, and really in review. */
async function noted(productId: string) {
  const { rows } = await t.sql.query(
    `select array(select w.task_id from tasks_in_review w where w.product_id = $1 order by 1) as noted,
       array(select id from tasks where product_id = $1 and status = 'REVIEW' order by 1) as real`,
    [productId],
  );
  return rows[0];
}

describe("tasks in review", () => {
  it("are noted on every way in and out", async () => {
    const { actor, product, story, tasks } = await t.seedWorld(4);
    for (const status of ["review", "in_progress", "review", "review", "done", "review"] as const) {
      await setTaskStatus(actor, { task_id: at(tasks, 0).id, status });
      const { noted: found, real } = await noted(product.id);
      expect(found).toEqual(real);
    }
    await t.query`update tasks set status = 'REVIEW' where product_id = ${product.id}`;
    await t.query`insert into tasks (story_id, title, status)
      values (${story.id}, 'Begun elsewhere', 'REVIEW')`;
    await deleteTask(actor, { task_id: at(tasks, 1).id });
    const { noted: found, real } = await noted(product.id);
    expect(found).toHaveLength(4);
    expect(found).toEqual(real);
  });

  it("need no index over what changes with each step, which would write all indexes of the row again", async () => {
    const rows = await t.query`select x.relname from pg_index i
      join pg_class x on x.oid = i.indexrelid
      join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = x.oid and d.refobjid = i.indrelid
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
      where i.indrelid = 'public.tasks'::regclass and a.attname in ('status', 'updated_at')`;
    expect(rows).toEqual([]);
  });
});
