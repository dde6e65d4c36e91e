import type pg from "pg";
import { idOf, insertPerson, insertToken, pastTriggers } from "../rows";

export interface Dataset {
  /** The header that says who asks. */
  credential: string;
  products: number;
  tasks: number;
  /** The n-th product, sprint or task, counted from 1. */
  id(kind: "product" | "sprint" | "task", n: number): string;
}

/** 50 products x 40 PBIs x 10 stories x 8 tasks, with texts of the length that people write. */
const shape = { pbis: 40, stories: 10, tasks: 8, storiesInSprint: 10 };

/** Fills the database past its triggers, which would announce each of 180,000 rows. */
export async function fill(sql: pg.Pool, products: number): Promise<Dataset> {
  const token = await pastTriggers(sql, async (client) => {
    const owner = await insertPerson(client, idOf("user1"));
    await insertBacklogs(client, products);
    return insertToken(client, owner);
  });
  await sql.query("vacuum analyze");
  const tasks = products * shape.pbis * shape.stories * shape.tasks;
  return { credential: `Authorization: Bearer ${token}`, products, tasks, id: (kind, n) => idOf(`${kind}${n}`) };
}

async function insertBacklogs(client: pg.PoolClient, products: number): Promise<void> {
  const { pbis, stories, tasks, storiesInSprint } = shape;
  const sentence = (repeats: number) => `repeat('Rows are written one by one. ', ${repeats})`;
  await client.query(`
    create function pg_temp.id(kind text, n bigint) returns uuid language sql immutable
      as $$ select md5(kind || n)::uuid $$;
    insert into public.products (id, owner_id, code, name, description, repo_url, definition_of_done)
      select pg_temp.id('product', p), pg_temp.id('user', 1), 'P-' || p, 'Product ' || p, ${sentence(10)},
             'https://example.com/' || p, ${sentence(5)}
        from generate_series(1, ${products}) p;
    insert into public.product_members (product_id, user_id, role, workers_allowed)
      select id, owner_id, 'OWNER', true from public.products;
    insert into public.sprints (id, product_id, code, sprint_goal, status, started_at)
      select pg_temp.id('sprint', p), pg_temp.id('product', p), 'SP-1', 'Ship it', 'ACTIVE', now()
        from generate_series(1, ${products}) p;
    insert into public.pbis (id, product_id, code, title, description, priority, sort_order)
      select pg_temp.id('pbi', (p - 1) * ${pbis} + b), pg_temp.id('product', p), 'PBI-' || b, 'Item ' || b,
             ${sentence(5)}, b % 5, b
        from generate_series(1, ${products}) p, generate_series(1, ${pbis}) b;
    insert into public.stories (id, product_id, pbi_id, code, title, description, acceptance_criteria,
                                status, sort_order, sprint_id)
      select pg_temp.id('story', (p - 1) * ${pbis * stories} + s), pg_temp.id('product', p),
             pg_temp.id('pbi', (p - 1) * ${pbis} + (s - 1) / ${stories} + 1),
             'ST-' || lpad(s::text, greatest(3, length(s::text)), '0'), 'Story ' || s, ${sentence(8)}, ${sentence(6)},
             case when s <= ${storiesInSprint} then 'IN_SPRINT' else 'OPEN' end::public.story_status, s,
             case when s <= ${storiesInSprint} then pg_temp.id('sprint', p) end
        from generate_series(1, ${products}) p, generate_series(1, ${pbis * stories}) s;
    insert into public.tasks (id, product_id, story_id, code, title, description, implementation_plan, sort_order)
      select pg_temp.id('task', (p - 1) * ${pbis * stories * tasks} + t), pg_temp.id('product', p),
             pg_temp.id('story', (p - 1) * ${pbis * stories} + (t - 1) / ${tasks} + 1),
             'T-' || t, 'Task ' || t, ${sentence(8)}, ${sentence(24)}, t
        from generate_series(1, ${products}) p, generate_series(1, ${pbis * stories * tasks}) t;
    insert into public.ideas (user_id, product_id, code, title, description)
      select pg_temp.id('user', 1), pg_temp.id('product', p), 'IDEA-' || (p * 100 + i), 'Idea ' || i, ${sentence(4)}
        from generate_series(1, ${products}) p, generate_series(1, 10) i;
  `);
}
