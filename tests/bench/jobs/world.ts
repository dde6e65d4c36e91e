import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { Database } from "~/db/database.server";
import type { Actor } from "~/db/rpc.server";
import { startSprintRun } from "~/domain/sprint-runs/start-sprint-run.server";

export interface Queue {
  actor: Actor;
  productIds: string[];
  sprintIds: string[];
}

/** A user with products whose active sprints hold so many one-task stories altogether; nothing is queued yet. */
export async function createQueueWorld(
  sql: pg.Pool,
  database: Database,
  tasks: number,
  products: number,
): Promise<Queue> {
  const name = `bench-${randomBytes(5).toString("hex")}`;
  const { rows } = await sql.query<{ id: string }>(
    `insert into auth.users (id, email, raw_user_meta_data)
     values (gen_random_uuid(), $1 || '@example.com', jsonb_build_object('username', $1::text)) returning id`,
    [name],
  );
  const userId = rows[0]?.id ?? "";
  const productIds: string[] = [];
  const sprintIds: string[] = [];
  for (let n = 0; n < products; n++) {
    const made = await createProduct(sql, userId, `${name}-${n}`, Math.ceil(tasks / products));
    productIds.push(made.productId);
    sprintIds.push(made.sprintId);
  }
  return { actor: { database, credential: { user_id: userId } }, productIds, sprintIds };
}

/** Past the triggers, which would number and announce each row: what is measured is the run, not the planning. */
async function createProduct(sql: pg.Pool, userId: string, code: string, stories: number) {
  const client = await sql.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    const { rows } = await client.query<{ product_id: string; sprint_id: string }>(
      `with product as (
         insert into public.products (owner_id, code, name, pr_strategy) values ($1, $2, $2, 'STORY') returning id),
       member as (
         insert into public.product_members (product_id, user_id, role) select id, $1, 'OWNER' from product),
       pbi as (
         insert into public.pbis (product_id, code, title, sort_order) select id, 'PBI-1', 'PBI', 1 from product
         returning id, product_id),
       sprint as (
         insert into public.sprints (product_id, code, sprint_goal, status) select id, 'SP-1', 'Goal', 'ACTIVE' from product
         returning id, product_id),
       story as (
         insert into public.stories (product_id, pbi_id, code, title, status, sort_order, sprint_id)
         select p.product_id, p.id, 'ST-' || n, 'Story ' || n, 'IN_SPRINT', n, s.id
         from pbi p, sprint s, generate_series(1, $3::integer) n
         returning id, product_id, sort_order),
       task as (
         insert into public.tasks (product_id, story_id, code, title, implementation_plan, sort_order, verify_required)
         select product_id, id, 'T-' || sort_order, 'Task ' || sort_order, 'Plan of some length.', sort_order, 'ANY'
         from story)
       select product_id, id as sprint_id from sprint`,
      [userId, code, stories],
    );
    await client.query("commit");
    return { productId: rows[0]?.product_id ?? "", sprintId: rows[0]?.sprint_id ?? "" };
  } finally {
    client.release();
  }
}

export async function startRuns({ actor, sprintIds }: Queue): Promise<void> {
  for (const sprintId of sprintIds) await startSprintRun(actor, { sprint_id: sprintId });
}
