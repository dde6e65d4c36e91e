import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import { days, later, serviceAt } from "./at-time";

const t = await createTestDatabase();
const noon = new Date("2026-11-21T12:00:00.000Z");

async function insertQuestion(expiresAt: Date, status = "OPEN") {
  const { product, story } = await t.seedWorld(0);
  const { rows } = await t.sql.query<{ id: string }>(
    `insert into public.agent_questions (product_id, story_id, question, status, answer, expires_at)
     values ($1, $2, '?', $3::public.agent_question_status, case when $3 = 'ANSWERED' then 'yes' end, $4) returning id`,
    [product.id, story.id, status, expiresAt],
  );
  return at(rows, 0).id;
}

async function insertPairing(expiresAt: Date): Promise<string> {
  const rows = await t.query<{ id: string }>`
    insert into public.login_pairings (mobile_secret_hash, desktop_token_hash, check_code, expires_at)
    values (sha256(gen_random_uuid()::text::bytea), sha256(gen_random_uuid()::text::bytea), '123 456', ${expiresAt}) returning id`;
  return at(rows, 0).id;
}

describe("expire_questions", () => {
  it("expires open questions and cancels pending pairings exactly at their expiry, once", async () => {
    const due = await insertQuestion(noon);
    const early = await insertQuestion(later(noon, 1));
    const answered = await insertQuestion(later(noon, -1000), "ANSWERED");
    const pairing = await insertPairing(noon);
    const earlyPairing = await insertPairing(later(noon, 1));
    const first = await serviceAt(t, noon, "expire_questions()");
    expect(first).toMatchObject({ expired_questions: 1, expired_pairings: 1 });
    expect(new Date(String(first.ran_at))).toEqual(noon);
    expect(await serviceAt(t, noon, "expire_questions()")).toMatchObject({
      expired_questions: 0,
      expired_pairings: 0,
    });
    const { rows } = await t.sql.query(
      `select id, status::text from public.agent_questions where id = any($1)
       union all select id, status::text from public.login_pairings where id = any($1)`,
      [[due, early, answered, pairing, earlyPairing]],
    );
    expect(Object.fromEntries(rows.map((row) => [row.id, row.status]))).toEqual({
      [due]: "EXPIRED",
      [early]: "OPEN",
      [answered]: "ANSWERED",
      [pairing]: "CANCELLED",
      [earlyPairing]: "PENDING",
    });
  });
});

describe("cleanup_agent_artifacts", () => {
  it("hard-deletes failed and cancelled jobs older than seven days by finished_at, and no others", async () => {
    const world = await t.seedSprint({ stories: [1] });
    const run = await world.start();
    const insert = async (status: string, finishedAt: Date | null) => {
      const rows = await t.query<{ id: string }>`
        insert into public.agent_jobs (product_id, task_id, kind, status, sprint_run_id, finished_at)
        values (${world.product.id}, ${at(world.tasks, 0).id}, 'TASK_IMPLEMENTATION', 'QUEUED', ${run.id}, null) returning id`;
      const id = at(rows, 0).id;
      await t.query`alter table public.agent_jobs disable trigger user`;
      await t.query`update public.agent_jobs set status = ${status}, finished_at = ${finishedAt}
        where id = ${id}`;
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
    const rows = await t.query<{ id: string }>`select id from public.agent_jobs
      where id = any(${[...gone, ...kept]})`;
    expect(rows.map(({ id }) => id).sort()).toEqual([...kept].sort());
    expect((await serviceAt(t, noon, "cleanup_agent_artifacts()")).deleted).toBe(0);
  });
});

describe("sweep", () => {
  it("leaves plain questions to the daily schedule and removes what no one reads any more", async () => {
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

  it("leaves the messages of Realtime to Realtime: other apps of the project send some too", async () => {
    const topic = `another-app-${Date.now()}`;
    await t.query`select realtime.send('{}', 'theirs', ${topic}, true)`;
    await serviceAt(t, new Date("2031-01-02T00:00:00.000Z"), "sweep(true)");
    const { rowCount } = await t.sql.query("select from realtime.messages where topic = $1", [
      topic,
    ]);
    expect(rowCount).toBe(1);
  });
});
