import pg from "pg";
import { idOf, insertToken } from "../rows";

export interface Dataset {
  token: string;
  products: number;
  tasks: number;
  /** The n-th product, sprint or task, counted from 1. */
  id(kind: "product" | "sprint" | "task", n: number): string;
}

/** 50 products x 40 PBIs x 10 stories x 8 tasks, with texts of the length that people write. */
const shape = { pbis: 40, stories: 10, tasks: 8, storiesInSprint: 10 };

/** Fills the database past its triggers, which would announce each of 180,000 rows. */
export async function fill(adminUrl: string, products: number): Promise<Dataset> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica");
    const token = await insertPerson(client);
    await insertBacklogs(client, products);
    await client.query("reset session_replication_role");
    await client.query("vacuum analyze");
    const tasks = products * shape.pbis * shape.stories * shape.tasks;
    return { token, products, tasks, id: (kind, n) => idOf(`${kind}${n}`) };
  } finally {
    await client.end();
  }
}

async function insertPerson(client: pg.Client): Promise<string> {
  const person = [idOf("user1"), "bench@example.com"];
  await client.query("insert into auth.users (id, email) values ($1, $2)", person);
  await client.query("insert into public.users (id, username, email) values ($1, 'bench', $2)", person);
  return insertToken(client, idOf("user1"));
}

async function insertBacklogs(client: pg.Client, products: number): Promise<void> {
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
