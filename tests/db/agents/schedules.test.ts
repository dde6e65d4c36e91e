import { expect, it } from "vitest";
import { createWebhook, listWebhookDeliveries, pingWebhook, takeDueNotices } from "~/nouns/notices/operations.server";
import { cleanupAgentArtifacts } from "~/nouns/schedules/operations.server";
import { listAgentWorkers, workerHeartbeat } from "~/nouns/workers/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { asUser, outcomeOf } from "../as-user";
import { days, later, serviceAt } from "./fixed-clock";

const t = await createTestDatabase();

async function workerNames(userId: string): Promise<string[]> {
  const rows = await t.query<{ name: string }>`select name from public.agent_workers
    where user_id = ${userId} order by last_seen_at, name`;
  return rows.map(({ name }) => name);
}

/** So many workers of a user, the first unseen longest. */
async function insertWorkers(userId: string, count: number, prefix: string): Promise<void> {
  await t.query`insert into public.agent_workers (user_id, name, last_seen_at)
    select ${userId}, ${prefix} || n, now() - interval '1 day' + n * interval '1 second' from generate_series(1, ${count}::integer) n`;
}

async function insertOldJobs(count: number): Promise<string> {
  const world = await t.seedSprint({ stories: [1] });
  await t.query`alter table public.agent_jobs disable trigger user`;
  await t.query`insert into public.agent_jobs (product_id, task_id, lane_id, kind, status, finished_at)
     select ${world.product.id}, ${at(world.tasks, 0).id}, ${at(world.tasks, 0).id}, 'TASK_IMPLEMENTATION', 'FAILED',
       now() - interval '8 days' from generate_series(1, ${count}::integer)`;
  await t.query`alter table public.agent_jobs enable trigger user`;
  return world.product.id;
}

it("A notice whose sender died ten times is given up", async () => {
  const world = await t.seedWorld(0);
  const hook = await createWebhook(world.actor, { product_id: world.product.id, url: "https://example.com/deadly" });
  const { id } = await pingWebhook(world.actor, { webhook_id: hook.id });
  const taken: number[] = [];
  for (let attempt = 1; attempt <= 12; attempt++) {
    await t.query`update public.notices set next_attempt_at = now() where id = ${id}`;
    const { notices } = await takeDueNotices(t.database, { limit: 500 });
    taken.push(...notices.filter((notice) => notice.id === id).map(({ attempts }) => attempts));
  }
  expect(taken).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const { deliveries } = await listWebhookDeliveries(world.actor, { webhook_id: hook.id });
  expect(deliveries).toMatchObject([
    { status: "failed", attempts: 10, last_error: expect.stringContaining("Given up") },
  ]);
});

it("A user has at most fifty workers; a further one replaces the longest unseen that holds no job", async () => {
  const { world, job } = await t.holdJob();
  await t.query`update agent_workers set last_seen_at = now() - interval '2 days' where user_id = ${world.owner.id}`;
  await insertWorkers(world.owner.id, 49, "old-");
  await Promise.all(["new-1", "new-2", "new-3"].map((worker) => workerHeartbeat(world.actor, { worker })));
  const names = await workerNames(world.owner.id);
  expect(names).toHaveLength(50);
  expect(names).toEqual(expect.arrayContaining(["worker-1", "new-1", "new-2", "new-3", "old-4"]));
  expect(names).not.toContain("old-3");
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("CLAIMED");
  // A name that is there stays what it is.
  await workerHeartbeat(world.actor, { worker: "old-4" });
  expect(await workerNames(world.owner.id)).toHaveLength(50);
});

it("A product lists at most two hundred workers, the last seen first", async () => {
  const world = await t.seedSprint();
  for (let n = 1; n <= 5; n++) {
    const friend = await t.createMember(world.product.id);
    await insertWorkers(friend.id, 50, "many-");
  }
  await workerHeartbeat(world.actor, { worker: "mine" });
  const { workers } = await listAgentWorkers(world.actor, { product_id: world.product.id });
  expect(workers).toHaveLength(200);
  expect(at(workers, 0)).toMatchObject({ name: "mine" });
});

it("Workers unseen for thirty days are removed, except those that a job names", async () => {
  const { world } = await t.holdJob();
  await insertWorkers(world.owner.id, 2, "gone-");
  await serviceAt(t, later(new Date(), days(28)), "sweep(true)");
  expect(await workerNames(world.owner.id)).toHaveLength(3);
  await serviceAt(t, later(new Date(), days(32)), "sweep(true)");
  expect(await workerNames(world.owner.id)).toEqual(["worker-1"]);
});

it("The cleanup of old jobs goes in portions until nothing is left", async () => {
  await insertOldJobs(1_003);
  const first = await serviceAt(t, new Date(), "cleanup_agent_artifacts()");
  expect(first).toMatchObject({ deleted: 1_000, more: true });
  expect(await cleanupAgentArtifacts(t.database)).toMatchObject({ deleted: 3 });
  await insertOldJobs(1_001);
  expect(await cleanupAgentArtifacts(t.database)).toMatchObject({ deleted: 1_001 });
});

it("The cleanup of old jobs waits for the lock of the product", async () => {
  const productId = await insertOldJobs(1);
  const holder = await t.begin();
  await holder.query("select private.lock_product($1)", [productId]);
  const cleaning = cleanupAgentArtifacts(t.database);
  await t.untilSomeoneWaits();
  await holder.query("commit");
  expect(await cleaning).toMatchObject({ deleted: 1 });
});

it.each([
  ["64 KiB with every space that the database adds", `[${"1,".repeat(32_000)}1]`, 1],
  ["64 KiB of text with spaces, quotes and backslashes", JSON.stringify(' \\" '.repeat(9_000)), 1],
  ["exactly 64 KiB", JSON.stringify("x".repeat(65_528)), 1],
  ["a byte too many", JSON.stringify("x".repeat(65_529)), "23514"],
  ["twice as many", JSON.stringify(": ".repeat(60_000)), "23514"],
])("Log metadata sent straight to the Data API may have at most 64 KiB: %s", async (_title, part, outcome) => {
  const { owner, story } = await t.seedWorld(0);
  const metadata = `{"a":${part}}`;
  const insert = `insert into public.story_logs (story_id, type, content, metadata)
      values ('${story.id}', 'IMPLEMENTATION_PLAN', 'x', $json$${metadata}$json$)`;
  expect(await asUser(t, owner, (client) => outcomeOf(client, insert))).toBe(outcome);
});

const noon = new Date("2026-11-21T12:00:00.000Z");

async function insertQuestion(expiresAt: Date, status = "OPEN") {
  const { product, story } = await t.seedWorld(0);
  const rows = await t.query`
    insert into public.agent_questions (product_id, story_id, question, status, answer, expires_at)
     values (${product.id}, ${story.id}, '?', ${status}::public.agent_question_status, case when ${status} = 'ANSWERED'
       then 'yes' end, ${expiresAt}) returning id`;
  return at(rows, 0).id;
}

async function insertPairing(expiresAt: Date): Promise<string> {
  const rows = await t.query<{ id: string }>`
    insert into public.login_pairings (mobile_secret_hash, desktop_token_hash, check_code, expires_at)
    values (sha256(gen_random_uuid()::text::bytea), sha256(gen_random_uuid()::text::bytea), '123 456', ${expiresAt}) returning id`;
  return at(rows, 0).id;
}

it("Open questions expire and pending pairings are cancelled exactly at their expiry, once", async () => {
  const due = await insertQuestion(noon);
  const early = await insertQuestion(later(noon, 1));
  const answered = await insertQuestion(later(noon, -1000), "ANSWERED");
  const pairing = await insertPairing(noon);
  const earlyPairing = await insertPairing(later(noon, 1));
  const first = await serviceAt(t, noon, "expire_questions()");
  expect(first).toMatchObject({ expired_questions: 1, expired_pairings: 1 });
  expect(new Date(String(first.ran_at))).toEqual(noon);
  expect(await serviceAt(t, noon, "expire_questions()")).toMatchObject({ expired_questions: 0, expired_pairings: 0 });
  const rows = await t.query`select id, status::text from public.agent_questions
      where id = any(${[due, early, answered, pairing, earlyPairing]})
       union all select id, status::text from public.login_pairings
         where id = any(${[due, early, answered, pairing, earlyPairing]})`;
  expect(Object.fromEntries(rows.map((row) => [row.id, row.status]))).toEqual({
    [due]: "EXPIRED",
    [early]: "OPEN",
    [answered]: "ANSWERED",
    [pairing]: "CANCELLED",
    [earlyPairing]: "PENDING",
  });
});

it("Failed and cancelled jobs are deleted seven days after their end, and no others", async () => {
  const world = await t.seedSprint({ stories: [1] });
  const run = await world.start();
  const insert = async (status: string, finishedAt: Date | null) => {
    const rows = await t.query<{ id: string }>`
        insert into public.agent_jobs (product_id, task_id, kind, status, sprint_run_id, finished_at)
        values (${world.product.id}, ${at(world.tasks, 0).id}, 'TASK_IMPLEMENTATION', 'QUEUED', ${run.id}, null) returning id`;
    const id = at(rows, 0).id;
    await t.query`alter table public.agent_jobs disable trigger user`;
    await t.query`update public.agent_jobs set status = ${status}, finished_at = ${finishedAt} where id = ${id}`;
    await t.query`alter table public.agent_jobs enable trigger user`;
    return id;
  };
  const old = later(noon, -days(7) - 1);
  const gone = [await insert("FAILED", old), await insert("CANCELLED", old)];
  const kept = [
    await insert("FAILED", later(noon, -days(7))),
    await insert("CANCELLED", later(noon, -days(6))),
    await insert("DONE", later(noon, -days(400))),
    await insert("SKIPPED", later(noon, -days(400))),
    await insert("QUEUED", null),
  ];
  const answer = await serviceAt(t, noon, "cleanup_agent_artifacts()");
  expect(answer.deleted).toBe(2);
  expect(new Date(String(answer.ran_at))).toEqual(noon);
  const rows = await t.query<{ id: string }>`select id from public.agent_jobs where id = any(${[...gone, ...kept]})`;
  expect(rows.map(({ id }) => id).sort()).toEqual([...kept].sort());
  expect((await serviceAt(t, noon, "cleanup_agent_artifacts()")).deleted).toBe(0);
});

it("The sweep leaves plain questions to the daily schedule and removes old counters of rate limits", async () => {
  const future = new Date("2031-01-01T00:00:00.000Z");
  const plain = await insertQuestion(later(future, -1000));
  await t.query`insert into public.rate_limit_counters (action, key, window_start, count)
      values ('task', 'old', ${later(future, -3 * 3_600_000)}, 3), ('task', 'new',
      ${later(future, -1000)}, 3)`;
  await insertPairing(later(future, -days(2)));
  const swept = await serviceAt(t, future, "sweep(true)");
  expect(swept.expired_questions).toBe(0);
  expect(swept.removed).toMatchObject({ rate_limit_counters: expect.any(Number) });
  const rows = await t.query`
      select (select status::text from public.agent_questions where id = ${plain}) as question,
      (select array_agg(key order by key) from public.rate_limit_counters where key in ('old', 'new')) as keys`;
  expect(rows[0]).toEqual({ question: "OPEN", keys: ["new"] });
});

it("The sweep leaves messages of Realtime alone: other apps of the project send some too", async () => {
  const topic = `another-app-${Date.now()}`;
  await t.query`select realtime.send('{}', 'theirs', ${topic}, true)`;
  await serviceAt(t, new Date("2031-01-02T00:00:00.000Z"), "sweep(true)");
  const { rowCount } = await t.sql.query("select from realtime.messages where topic = $1", [topic]);
  expect(rowCount).toBe(1);
});
