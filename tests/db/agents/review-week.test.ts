import { expect, it } from "vitest";
import type { Actor } from "~/db/rpc.server";
import { listWaitingReviews } from "~/nouns/reviews/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { exportDocumentSchema } from "~/nouns/transfers/export-document";
import { importDocument } from "~/nouns/transfers/import-document.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { atTime, later, minutes } from "./fixed-clock";

const t = await createTestDatabase();
const monday = new Date("2026-11-02T00:00:00Z");
const hour = 60;

type Planned = { code: string; blocked_by?: string[] };

async function startTasks(tasks: readonly Planned[]) {
  const owner = await t.createUser();
  const document = exportDocumentSchema.parse({
    format: "backloom-export",
    version: 1,
    product: { code: "WEEK", name: "Week", pr_strategy: "STORY", done_requires: "person" },
    sprints: [{ code: "SP-1", status: "ACTIVE" }],
    pbis: [
      {
        title: "Everything",
        stories: tasks.map((task) => ({
          title: task.code,
          sprint: "SP-1",
          tasks: [{ title: task.code, implementation_plan: "Do it", ...task }],
        })),
      },
    ],
  });
  const { id } = await importDocument(t.database, owner.id, document);
  const rows = await t.query`select id from sprints where product_id = ${id}`;
  await startSprintRun(t.actorOf(owner), { sprint_id: at(rows, 0).id });
  return { product_id: id, actor: t.actorOf(owner), owner: owner.id };
}

/** The work on tasks is handed in for review at that moment. */
async function handIn(product_id: string, codes: readonly string[], moment: Date): Promise<void> {
  await atTime(t, moment, async (client) => {
    const of = [product_id, codes];
    const found = "select id from tasks where product_id = $1 and code = any ($2)";
    await client.query(`update tasks set status = 'REVIEW' where id in (${found})`, of);
    await client.query(`update agent_jobs set phase = 'review', attempt = 1 where task_id in (${found})`, of);
  });
}

/** 50 attempts, handed in during three nights; 20 tasks wait for one or two of them. By a fixed sequence of numbers. */
function planWeek() {
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const attempts = Array.from({ length: 50 }, (_, n) => ({
    code: `T-${n + 1}`,
    at: later(monday, minutes((n % 3) * 24 * hour + next(8 * hour))),
  }));
  const blocked = Array.from({ length: 20 }, (_, n) => ({
    code: `T-${n + 101}`,
    blocked_by: [...new Set(Array.from({ length: 1 + next(2) }, () => `T-${1 + next(50)}`))],
  }));
  // Three people judge four times a day each.
  const slots = Array.from({ length: 60 }, (_, n) =>
    later(monday, minutes((Math.floor(n / 12) * 24 + 9) * hour + (n % 12) * 30)),
  );
  return { attempts, blocked, slots };
}

type Week = ReturnType<typeof planWeek>;

/** After how many approvals each blocked task was free, by who chooses what is judged next. */
async function judge(
  { attempts, blocked, slots }: Week,
  choose: (waiting: Week["attempts"], now: Date) => Promise<string>,
) {
  const approved: string[] = [];
  const freedAfter = new Map<string, number>();
  for (const now of slots) {
    const waiting = attempts.filter(({ code, at: since }) => since < now && !approved.includes(code));
    if (waiting.length === 0) continue;
    approved.push(await choose(waiting, now));
    for (const { code, blocked_by } of blocked) {
      const isFree = blocked_by.every((blocker) => approved.includes(blocker));
      if (isFree && !freedAfter.has(code)) freedAfter.set(code, approved.length);
    }
  }
  expect(approved).toHaveLength(attempts.length);
  expect(freedAfter.size).toBe(blocked.length);
  return [...freedAfter.values()].reduce((sum, count) => sum + count, 0) / blocked.length;
}

async function median(actor: Actor, product_id: string): Promise<number> {
  await t.query`analyze`;
  const taken = [];
  for (let n = 0; n < 21; n++) {
    const begun = performance.now();
    expect((await listWaitingReviews(actor, { product_id, limit: 50 })).reviews).toHaveLength(50);
    taken.push(performance.now() - begun);
  }
  return at(
    taken.toSorted((one, other) => one - other),
    10,
  );
}

it("The review queue frees blocked work in at least a quarter fewer approvals than oldest first", async () => {
  const week = planWeek();
  const oldest = await judge(
    week,
    async (waiting) =>
      at(
        waiting.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
        0,
      ).code,
  );
  const { product_id, owner } = await startTasks([...week.attempts.map(({ code }) => ({ code })), ...week.blocked]);
  const handedIn = new Set<string>();
  const queue = await judge(week, async (waiting, now) => {
    for (const { code, at: since } of waiting.toSorted((one, other) => one.at.getTime() - other.at.getTime())) {
      if (!handedIn.has(code)) await handIn(product_id, [code], since);
      handedIn.add(code);
    }
    return atTime(t, now, async (client) => {
      await client.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify({ sub: owner })]);
      const { rows } = await client.query("select operations.list_reviews(p_limit => 1) as answer");
      const { job_id, task } = at<{ job_id: string; task: { code: string } }>(rows[0].answer.reviews, 0);
      await client.query("update agent_jobs set status = 'DONE', head_sha = 'b', base_sha = 'a' where id = $1", [
        job_id,
      ]);
      return task.code;
    });
  });
  process.stdout.write(`Approvals until blocked work was free: ${queue} by the queue, ${oldest} oldest first\n`);
  expect(queue).toBeLessThanOrEqual(0.75 * oldest);
}, 120_000);

it("A page of 50 reviews is answered and timed with fifty and with a thousand waiting", async () => {
  const tasks = Array.from({ length: 50 }, (_, n) => ({ code: `T-${n + 1}` }));
  const { product_id, actor } = await startTasks(tasks);
  const codes = tasks.map(({ code }) => code);
  await handIn(product_id, codes, monday);
  const few = await median(actor, product_id);
  await t.query`
      insert into agent_jobs (product_id, task_id, kind, phase, sprint_run_id, lane_id, attempt)
      select j.product_id, j.task_id, j.kind, 'review', j.sprint_run_id, gen_random_uuid(), 1
      from agent_jobs j cross join generate_series(1, 19) where j.product_id = ${product_id}`;
  const many = await median(actor, product_id);
  process.stdout.write(
    `GET /api/reviews: ${few.toFixed(1)} ms of 50, ${many.toFixed(1)} ms of 1,000: ${(many / few).toFixed(2)}x\n`,
  );
}, 120_000);
