import type pg from "pg";
import { insertPerson, insertToken } from "../rows";

async function insert(sql: pg.Pool, statement: string, values: unknown[]): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(`${statement} returning id`, values);
  return rows[0]?.id ?? "";
}

export interface BenchWorld {
  token: string;
  userId: string;
  productId: string;
  sprintId: string;
  storyId: string;
  taskIds: string[];
}

/** A product with an active sprint and one story of the reader, who has so many tasks in it. */
export async function createBenchWorld(sql: pg.Pool, taskCount: number): Promise<BenchWorld> {
  const userId = await insertPerson(sql);
  const token = await insertToken(sql, userId);
  const productId = await insert(
    sql,
    "insert into public.products (owner_id, code, name) values ($1, 'BENCH', 'Bench')",
    [userId],
  );
  const sprintId = await insert(sql, "insert into public.sprints (product_id, status) values ($1, 'ACTIVE')", [
    productId,
  ]);
  const pbiId = await insert(sql, "insert into public.pbis (product_id, title) values ($1, 'B')", [productId]);
  const storyId = await insert(
    sql,
    `insert into public.stories (product_id, pbi_id, title, sprint_id, assignee_id, status)
     values ($1, $2, 'S', $3, $4, 'IN_SPRINT')`,
    [productId, pbiId, sprintId, userId],
  );
  const { rows } = await sql.query<{ id: string }>(
    "insert into public.tasks (story_id, title) select $1, 'T ' || n from generate_series(1, $2::int) as n returning id",
    [storyId, taskCount],
  );
  return { token, userId, productId, sprintId, storyId, taskIds: rows.map(({ id }) => id) };
}
