import { randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { insertToken } from "../rows";

const idRow = z.object({ id: z.string() });

async function insert(sql: pg.Pool, statement: string, values: unknown[]): Promise<string> {
  const { rows } = await sql.query(`${statement} returning id`, values);
  return idRow.parse(rows[0]).id;
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
  const userId = randomUUID();
  await sql.query(
    "insert into auth.users (id, email, raw_user_meta_data) values ($1, $2, jsonb_build_object('username', $3::text))",
    [userId, `${userId}@example.com`, `bench-${userId.slice(0, 8)}`],
  );
  await sql.query("insert into public.users (id, username, email) values ($1, $2, $3) on conflict (id) do nothing", [
    userId,
    `bench-${userId.slice(0, 8)}`,
    `${userId}@example.com`,
  ]);
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
  const { rows } = await sql.query(
    "insert into public.tasks (story_id, title) select $1, 'T ' || n from generate_series(1, $2::int) as n returning id",
    [storyId, taskCount],
  );
  return {
    token,
    userId,
    productId,
    sprintId,
    storyId,
    taskIds: z
      .array(idRow)
      .parse(rows)
      .map(({ id }) => id),
  };
}
