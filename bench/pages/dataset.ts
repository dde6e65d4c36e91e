import { randomUUID } from "node:crypto";
import type pg from "pg";
import { type Env, readEnv } from "~/env.server";
import { sealSessionCookies } from "~/http/session.server";
import { idOf, insertPerson, pastTriggers } from "../rows";

export interface Dataset {
  /** The `Cookie` header of someone who is signed in. */
  cookie: string;
  /** A sprint of 50 tasks in 5 stories, spread over the columns. */
  boardPath: string;
  /** 40 PBIs with 10 stories each: 440 rows, all unfolded. */
  backlogPath: string;
  /** The changes of a task: one file of 5,000 lines, all of them in the page. */
  changesPath: string;
  /** What agents said in jobs that kept all of 5 MiB: in many short entries, and in few long ones. */
  transcripts: Transcript[];
}

interface Transcript {
  path: string;
  entries: number;
  /** Of each entry. */
  bytes: number;
}

export const diffLines = 5_000;
export const userId = "00000000-0000-4000-8000-000000000001";

/** A user with a session, a product with a sprint and a product with a long backlog. */
export async function fill(sql: pg.Pool, sessionSecret: string): Promise<Dataset> {
  const transcripts = await pastTriggers(sql, async (client) => {
    await insertPerson(client, userId);
    await insertProduct(client, "board", { pbis: 1, stories: 5, tasks: 10 });
    await insertProduct(client, "backlog", { pbis: 40, stories: 400, tasks: 0 });
    await insertProduct(client, "diff", { pbis: 1, stories: 1, tasks: 1 });
    await insertDiff(client);
    return [
      await insertTranscript(client, { entries: 10_240, bytes: 512 }),
      await insertTranscript(client, { entries: 80, bytes: 65_536 }),
    ];
  });
  await sql.query("vacuum analyze");
  return {
    cookie: await cookieOf(sql, userId, sessionSecret),
    boardPath: `/products/${idOf("product-board")}/sprints/${idOf("sprint-board")}`,
    backlogPath: `/products/${idOf("product-backlog")}/backlog?open=all`,
    changesPath: `/stories/${idOf("story-diff-1")}/changes?task=${idOf("task-diff-1")}&open=0`,
    transcripts,
  };
}

/** Signs someone in, for as long as anything is measured: their `Cookie` header. */
export async function cookieOf(sql: pg.Pool, userId: string, secret: string): Promise<string> {
  const sessionId = randomUUID();
  const session = "values ($1, $2, now() + interval '1 day')";
  await sql.query(`insert into public.user_sessions (id, user_id, expires_at) ${session}`, [sessionId, userId]);
  const env: Env = { ...readEnv({}), sessionSecrets: [secret], secureCookies: false };
  const [cookie] = await sealSessionCookies({ session_id: sessionId, user_id: userId, is_demo: false }, env);
  return cookie?.split(";")[0] ?? "";
}

/** A job that is done, and what it changed. */
async function insertDiff(client: pg.PoolClient): Promise<void> {
  const count = diffLines / 2;
  const lines = Array.from({ length: count }, (_, n) => `-const before${n} = ${n};\n+const after${n} = "${n}";\n`);
  const header = "diff --git a/long.ts b/long.ts\n--- a/long.ts\n+++ b/long.ts\n";
  const patch = `${header}@@ -1,${count} +1,${count} @@\n${lines.join("")}`;
  const file = { path: "long.ts", status: "modified", additions: count, deletions: count };
  const { jobId, productId } = await insertJob(client, "diff");
  await client.query("update public.agent_jobs set additions = $2, deletions = $2 where id = $1", [jobId, count]);
  await client.query(
    `insert into public.job_diffs (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes)
     values ($1, 1, $2, 'a', 'b', $3, $3, $4, $5)`,
    [jobId, productId, count, JSON.stringify([{ ...file, binary: false, patch }]), patch.length],
  );
}

/** A job that is done, and so many entries of so many bytes that its agent said. */
async function insertTranscript(
  client: pg.PoolClient,
  { entries, bytes }: Omit<Transcript, "path">,
): Promise<Transcript> {
  const name = `talk-${entries}`;
  await insertProduct(client, name, { pbis: 1, stories: 1, tasks: 1 });
  const { jobId } = await insertJob(client, name);
  const counted = "update public.job_attempts set last_seq = $2, output_bytes = $3 where job_id = $1";
  await client.query(counted, [jobId, entries, entries * bytes]);
  await client.query(
    `insert into public.job_outputs (job_id, attempt, seq, at, kind, text, title, status)
     select $1, 1, n, now(), 'command', left(repeat('Line ' || n || E' of what a command printed.\\n', $3 / 20), $3),
            'npm test -- part-' || n, 'completed'
       from generate_series(1, $2::integer) n`,
    [jobId, entries, bytes],
  );
  return { path: `/jobs/${jobId}`, entries, bytes };
}

async function insertJob(client: pg.PoolClient, name: string): Promise<{ jobId: string; productId: string }> {
  const [jobId, productId] = [idOf(`job-${name}`), idOf(`product-${name}`)];
  await client.query(
    `insert into public.agent_jobs (id, product_id, task_id, kind, status, lane_id, attempt, finished_at)
     values ($1, $2, $3, 'TASK_IMPLEMENTATION', 'DONE', $1, 1, now())`,
    [jobId, productId, idOf(`task-${name}-1`)],
  );
  await client.query(
    `insert into public.job_attempts (job_id, attempt, product_id, worker_name, started_at, ended_at, outcome)
     values ($1, 1, $2, 'bench', now(), now(), 'done')`,
    [jobId, productId],
  );
  return { jobId, productId };
}

type Shape = Record<"pbis" | "stories" | "tasks", number>;

async function insertProduct(client: pg.PoolClient, name: string, { pbis, stories, tasks }: Shape): Promise<void> {
  await client.query(`
    create or replace function pg_temp.id(text) returns uuid language sql immutable
      as $$ select md5($1)::uuid $$;
    insert into public.products (id, owner_id, code, name, repo_url)
      values (pg_temp.id('product-${name}'), '${userId}', '${name}', 'Product ${name}', 'https://example.com/shop');
    insert into public.product_members (product_id, user_id, role, workers_allowed)
      values (pg_temp.id('product-${name}'), '${userId}', 'OWNER', true);
    insert into public.sprints (id, product_id, code, sprint_goal, status, started_at, start_date)
      values (pg_temp.id('sprint-${name}'), pg_temp.id('product-${name}'), 'SP-1', 'Orders arrive by mail', 'ACTIVE',
              now() - interval '7 days', current_date - 7);
    insert into public.pbis (id, product_id, code, title, priority, sort_order)
      select pg_temp.id('pbi-${name}-' || n), pg_temp.id('product-${name}'), 'PBI-' || n,
             'People follow their order number ' || n, 3, n
        from generate_series(1, ${pbis}) n;
    insert into public.stories (id, product_id, pbi_id, code, title, sort_order, status, sprint_id, assignee_id)
      select pg_temp.id('story-${name}-' || n), pg_temp.id('product-${name}'),
             pg_temp.id('pbi-${name}-' || (n - 1) * ${pbis} / ${stories} + 1), 'ST-' || lpad(n::text, 3, '0'),
             'The shop tells by mail what happened to order ' || n, n,
             case when n <= 5 then 'IN_SPRINT' else 'OPEN' end::public.story_status,
             case when n <= 5 then pg_temp.id('sprint-${name}') end, '${userId}'
        from generate_series(1, ${stories}) n;
    insert into public.tasks (id, product_id, story_id, code, title, implementation_plan, sort_order, status)
      select pg_temp.id('task-${name}-' || n), pg_temp.id('product-${name}'),
             pg_temp.id('story-${name}-' || (n - 1) / 10 + 1), 'T-' || n,
             'Write the message of step ' || n || ' and send it', 'Follow the template.', n,
             (array['TO_DO', 'TO_DO', 'IN_PROGRESS', 'REVIEW', 'DONE'])[n % 5 + 1]::public.task_status
        from generate_series(1, ${stories * tasks}) n;
  `);
}
