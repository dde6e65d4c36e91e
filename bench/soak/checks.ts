import type pg from "pg";
import { verdict } from "../streams/statistics";
import type { Kept } from "./people";
import type { Done } from "./workers";

/** What was acknowledged is there, once; each line says how many there were and what is wrong. */
export async function checkKept(sql: pg.Pool, people: readonly Kept[], done: Done): Promise<boolean> {
  const heard = people.filter(({ plan }) => plan > 0);
  const checks: [string, number, string[]][] = [
    ["changes of tasks: the last one that was acknowledged", heard.length, await wrongPlans(sql, heard)],
    [
      "entries of logs: each one that was acknowledged, once",
      entriesOf(people).length,
      await wrongEntries(sql, people),
    ],
    ["jobs that a worker was told are done: so they are, by that attempt", done.size, await wrongJobs(sql, done)],
    ["jobs done: by one worker, known to it, and its task ended once", done.size, await doneTwice(sql, done)],
  ];
  for (const [name, count, wrong] of checks) {
    console.log(verdict(`${name} (${count}), wrong`, wrong.length, 0, "lower"), wrong.slice(0, 3).join("; "));
  }
  return checks.every(([, , wrong]) => wrong.length === 0);
}

async function wrongPlans(sql: pg.Pool, people: readonly Kept[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; plan: string }>(
    "select id, implementation_plan as plan from public.tasks where id = any ($1)",
    [people.map(({ taskId }) => taskId)],
  );
  const plans = new Map(rows.map(({ id, plan }) => [id, plan]));
  return people.flatMap(({ taskId, plan }) =>
    plans.get(taskId) === `Change ${plan}` ? [] : [`${taskId}: ${plans.get(taskId)}, not ${plan}`],
  );
}

const entriesOf = (people: readonly Kept[]) =>
  people.flatMap(({ taskId, entries }) => [...entries].map(([round, id]) => ({ id, content: `${taskId} ${round}` })));

async function wrongEntries(sql: pg.Pool, people: readonly Kept[]): Promise<string[]> {
  const { rows } = await sql.query<{ content: string; ids: string[] }>(
    "select content, array_agg(id::text) as ids from public.story_logs group by content",
  );
  const found = new Map(rows.map(({ content, ids }) => [content, ids]));
  return entriesOf(people).flatMap(({ id, content }) => {
    const ids = found.get(content) ?? [];
    return ids.length === 1 && ids[0] === id ? [] : [`${content}: ${ids.length} entries`];
  });
}

async function wrongJobs(sql: pg.Pool, done: Done): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; status: string; attempt: number }>(
    "select id, status, attempt from public.agent_jobs where id = any ($1)",
    [[...done.keys()]],
  );
  const jobs = new Map(rows.map((row) => [row.id, row]));
  return [...done].flatMap(([id, attempts]) => {
    const job = jobs.get(id);
    const isRight = job?.status === "DONE" && attempts.length === 1 && attempts[0] === job.attempt;
    return isRight ? [] : [`${id}: ${job?.status} by ${job?.attempt}, told ${attempts}`];
  });
}

async function doneTwice(sql: pg.Pool, done: Done): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; ends: number }>(
    `select j.id, (select count(*)::int from public.task_status_changes c
       where c.task_id = j.task_id and c.to_status = 'DONE' and c.from_status is distinct from 'DONE') as ends
     from public.agent_jobs j where j.status = 'DONE'`,
  );
  return rows.flatMap(({ id, ends }) =>
    ends === 1 && done.has(id) ? [] : [`${id}: ended ${ends} times, ${done.has(id) ? "" : "no one was told"}`],
  );
}
