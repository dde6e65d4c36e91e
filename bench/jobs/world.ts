import type pg from "pg";
import type { Database } from "~/db/database.server";
import type { Actor } from "~/db/rpc.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { insertPerson, pastTriggers } from "../rows";

export type Queue = { userId: string; actor: Actor; productIds: string[]; sprintIds: string[] };

const tasksPerStory = 8;
const storiesPerPbi = 10;

/** A user with products whose active sprints hold so many tasks altogether, in stories of eight unless said; nothing is queued yet. */
export async function createQueueWorld(
  sql: pg.Pool,
  database: Database,
  tasks: number,
  products: number,
  perStory = tasksPerStory,
): Promise<Queue> {
  const userId = await insertPerson(sql);
  const productIds: string[] = [];
  const sprintIds: string[] = [];
  for (let n = 0; n < products; n++) {
    const made = await createProduct(
      sql,
      userId,
      `bench-${userId.slice(0, 8)}-${n}`,
      Math.ceil(tasks / products),
      perStory,
    );
    productIds.push(made.productId);
    sprintIds.push(made.sprintId);
  }
  // Calls are planned by what Postgres knows of its tables, which it would learn by itself within a minute.
  await sql.query("analyze");
  return { userId, actor: { database, credential: { user_id: userId } }, productIds, sprintIds };
}

/** Past the triggers: what is measured is the run, not the planning. */
async function createProduct(sql: pg.Pool, userId: string, code: string, tasks: number, perStory: number) {
  const stories = Math.ceil(tasks / perStory);
  return pastTriggers(sql, async (client) => {
    const { rows } = await client.query<{ product_id: string; sprint_id: string }>(
      `with product as (
         insert into public.products (owner_id, code, name, pr_strategy) values ($1, $2, $2, 'STORY') returning id),
       member as (
         insert into public.product_members (product_id, user_id, role, workers_allowed) select id, $1, 'OWNER', true from product),
       pbi as (
         insert into public.pbis (product_id, code, title, sort_order)
         select id, 'PBI-' || n, 'PBI ' || n, n from product, generate_series(1, $4::integer) n
         returning id, product_id, sort_order),
       sprint as (
         insert into public.sprints (product_id, code, sprint_goal, status) select id, 'SP-1', 'Goal', 'ACTIVE' from product
         returning id, product_id),
       story as (
         insert into public.stories (product_id, pbi_id, code, title, status, sort_order, sprint_id)
         select p.product_id, p.id, 'ST-' || n, 'Story ' || n, 'IN_SPRINT', n, s.id
         from sprint s, generate_series(1, $3::integer) n
         join pbi p on p.sort_order = 1 + (n - 1) / $5::integer
         returning id, product_id, sort_order),
       task as (
         insert into public.tasks (product_id, story_id, code, title, implementation_plan, sort_order, verify_required)
         select product_id, id, 'T-' || n, 'Task ' || n, 'Plan of some length.', n, 'ANY'
         from story, generate_series((sort_order - 1) * $6::integer + 1, sort_order * $6::integer) n)
       select product_id, id as sprint_id from sprint`,
      [userId, code, stories, Math.ceil(stories / storiesPerPbi), storiesPerPbi, perStory],
    );
    return { productId: rows[0]?.product_id ?? "", sprintId: rows[0]?.sprint_id ?? "" };
  });
}

export async function startRuns({ actor, sprintIds }: Queue): Promise<void> {
  for (const sprintId of sprintIds) await startSprintRun(actor, { sprint_id: sprintId });
}
