import { describe, expect, it } from "vitest";
import { heartbeatAgentJob, verifyTaskAgainstPlan } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { answerQuestion, askQuestion } from "~/nouns/questions/operations.server";
import { pauseSprintRun, resumeSprintRun } from "~/nouns/sprint-runs/operations.server";
import { jobOutputSchema } from "~/wire/agent-jobs/job-output";
import { openApp } from "../setup/app";
import { at, bearer, claim } from "../setup/world";

const { t, app } = await openApp();

const entry = (seq: number, rest: Record<string, unknown> = {}) => ({
  seq,
  at: "2026-11-22T08:00:00.000Z",
  kind: "text",
  text: `Word ${seq}`,
  ...rest,
});

type Scene = Awaited<ReturnType<typeof scene>>;

async function scene() {
  const held = await t.holdJob();
  const { world, job } = held;
  const token = await t.createToken(world.owner);
  const path = `/api/jobs/${job.id}/output`;
  const tell = (what: string, body: unknown, headers: Record<string, string> = bearer(token)) =>
    app.send("POST", `/api/jobs/${job.id}/${what}`, body, headers);
  const post = (body: unknown, headers?: Record<string, string>) => tell("output", body, headers);
  const read = async (query = "", headers: Record<string, string> = bearer(token)) =>
    jobOutputSchema.parse(await (await app.request(`${path}${query}`, { headers })).json());
  return { ...held, token, path, tell, post, read };
}

describe("POST /api/jobs/:id/output", () => {
  it("Output entries are added with 202 and last_seq, and a repeated seq is ignored", async () => {
    const { post, read, job } = await scene();
    const first = await post({
      attempt: 1,
      entries: [entry(1), entry(2, { kind: "command", title: "npm test", status: "running" })],
    });
    expect(first.status).toBe(202);
    expect(await first.json()).toEqual({ last_seq: 2 });
    const again = await post({ attempt: 1, entries: [entry(2, { text: "another" }), entry(3)] });
    expect(await again.json()).toEqual({ last_seq: 3 });
    const output = await read();
    expect(output).toMatchObject({ job_id: job.id, attempt: 1, last_seq: 3, complete: false, dropped: null });
    expect(output.entries.map(({ seq, text }) => [seq, text])).toEqual([
      [1, "Word 1"],
      [2, "Word 2"],
      [3, "Word 3"],
    ]);
    expect(output.entries[1]).toMatchObject({ kind: "command", title: "npm test", status: "running", path: null });
  });

  it("Output is accepted after its attempt ended, and refused with 409 once the attempt is lost", async () => {
    const { post, read, report, world, job } = await scene();
    await report({ status: "failed", failure_class: "rate_limited" });
    await t.query`update public.agent_jobs set not_before = null`;
    expect((await post({ attempt: 1, entries: [entry(1)] })).status).toBe(202);
    expect((await claim(world.actor, "worker-2")).id).toBe(job.id);
    const lost = await post({ attempt: 1, entries: [entry(2)] });
    expect(lost.status).toBe(409);
    expect(await lost.json()).toMatchObject({ code: 409, error: expect.stringContaining("Attempt 1") });
    expect((await read("?attempt=1")).complete).toBe(true);
    expect(await read()).toMatchObject({ attempt: 2, entries: [], complete: false });
  });

  const conflict = { kind: "base", ours_sha: "a".repeat(40), theirs_sha: "b".repeat(40) };
  type Act = (scene: Scene) => Promise<unknown>;
  const endings: [what: string, state: string, finish: Act, goOn?: Act][] = [
    [
      "went home with a conflict",
      "sent_home",
      async ({ world, attempt, tell }) => {
        await verifyTaskAgainstPlan(world.actor, { ...attempt, verify_result: "ALIGNED" });
        const told = await tell("conflicts", { ...conflict, attempt: 1, files: [{ path: "same" }] });
        expect(await told.json()).toMatchObject({ decision: "home" });
      },
    ],
    [
      "was given back with a pause of the run",
      "returned",
      ({ world, run, attempt }) => pauseSprintRun(world.actor, { sprint_run_id: run.id, ...attempt, release: true }),
      ({ world, run }) => resumeSprintRun(world.actor, { sprint_run_id: run.id }),
    ],
    [
      "asked a question that is answered by now",
      "parked",
      async ({ world, attempt, task }) => {
        const question = { ...attempt, task_id: task.id, question: "Which?", options: ["A", "B"], park: true };
        const asked = await askQuestion(world.actor, question);
        await answerQuestion(world.actor, { question_id: asked.id, option: 0 });
      },
    ],
    [
      "was handed over to another worker",
      "handed_over",
      async ({ world, report }) => {
        await updateProduct(world.actor, { product_id: world.product.id, done_requires: "other_worker" });
        expect(await report({ status: "done", verify_result: "ALIGNED" })).toMatchObject({ status: "queued" });
      },
    ],
  ];

  it.each(endings)(
    "An attempt that %s may add last output for ten minutes, or until the next one begins",
    async (_what, state, finish, goOn) => {
      const held = await scene();
      const { post, read, world, job, attempt, report } = held;
      await finish(held);
      expect((await post({ attempt: 1, entries: [entry(1)] })).status).toBe(202);
      expect((await read("?attempt=1")).entries).toHaveLength(1);

      // Heartbeat and refusal are one sentence.
      const refused = await report({ status: "running" }).catch((error: Error) => error);
      const beat = await heartbeatAgentJob(world.actor, attempt);
      expect(refused).toMatchObject({ message: beat.reason?.message });
      expect(beat).toMatchObject({ action: "stop", reason: { code: state } });
      expect(beat.reason?.message).not.toContain("no longer holds");

      const endedAgo = (minutes: number) =>
        t.query`update job_attempts set ended_at = now() - make_interval(mins => ${minutes}) where job_id = ${job.id}`;
      await endedAgo(9);
      expect((await post({ attempt: 1, entries: [entry(2)] })).status).toBe(202);
      await endedAgo(11);
      const late = await post({ attempt: 1, entries: [entry(3)] });
      expect(late.status).toBe(409);
      expect(await late.json()).toMatchObject({ error: expect.stringContaining("ten minutes") });

      await endedAgo(0);
      await goOn?.(held);
      expect((await claim(world.actor, "worker-2")).attempt).toBe(2);
      const lost = await post({ attempt: 1, entries: [entry(4)] });
      expect(await lost.json()).toMatchObject({
        code: 409,
        error: expect.stringContaining("Attempt 1 no longer holds this job"),
      });
    },
  );

  it("An attempt that lost its lease adds no output, even while no one else has the job", async () => {
    const { post, job, attempt, world } = await scene();
    await t.query`update public.agent_jobs set lease_until = now() - interval '1 second' where id = ${job.id}`;
    await t.query`set role service_role; select operations.sweep(); reset role`;
    expect((await post({ attempt: 1, entries: [entry(1)] })).status).toBe(409);
    expect(await heartbeatAgentJob(world.actor, attempt)).toMatchObject({ action: "stop", reason: { code: "lost" } });
  });

  it("Output entries renew the lease of a job, once a minute at most", async () => {
    const { post, job } = await scene();
    const leaseIn = async (seconds: number) => {
      const rows = await t.query`
        update public.agent_jobs set lease_until = now() + make_interval(secs => ${seconds}) where id = ${job.id}
        returning lease_until`;
      return rows[0].lease_until.getTime();
    };
    const lease = async () => {
      const rows = await t.query`select lease_until from public.agent_jobs where id = ${job.id}`;
      return rows[0].lease_until.getTime();
    };
    await leaseIn(100);
    await post({ attempt: 1, entries: [entry(1)] });
    expect((await lease()) - Date.now()).toBeGreaterThan(290_000);
    // Once a minute is enough.
    const before = await leaseIn(270);
    await post({ attempt: 1, entries: [entry(2)] });
    expect(await lease()).toBe(before);
  });

  it("Output that had to wait for the batch before it is still announced to those who watch", async () => {
    const { post, job } = await scene();
    const told = async () => {
      const rows = await t.query`select told_at, last_seq from public.job_attempts where job_id = ${job.id}`;
      return rows[0];
    };
    await post({ attempt: 1, entries: [entry(1)] });
    const holder = await t.begin();
    await holder.query("select from public.job_attempts where job_id = $1 for update", [job.id]);
    const waiting = post({ attempt: 1, entries: [entry(2)] });
    await t.untilSomeoneWaits();
    const { rows } = await holder.query<{ told_at: Date }>(
      "update public.job_attempts set told_at = clock_timestamp() - interval '0.9 seconds' where job_id = $1 returning told_at",
      [job.id],
    );
    await holder.query("commit");
    expect((await waiting).status).toBe(202);
    const { told_at, last_seq } = await told();
    expect(last_seq).toBe("2");
    expect(told_at.getTime()).toBeGreaterThan(at(rows, 0).told_at.getTime());
  });

  it("Only the holder of a job may add to its output", async () => {
    const { post, world } = await scene();
    const member = await t.createMember(world.product.id);
    const body = { attempt: 1, entries: [entry(1)] };
    expect((await post(body, await t.bearerOf(member))).status).toBe(409);
  });

  it.each([
    ["an unknown kind", { entries: [entry(1, { kind: "shout" })] }],
    ["no entries", { entries: [] }],
    ["a seq of zero", { entries: [entry(0)] }],
    [
      "a batch over 64 KiB",
      { entries: [entry(1, { text: "x".repeat(40_000) }), entry(2, { text: "x".repeat(40_000) })] },
    ],
    ["no attempt", { attempt: undefined, entries: [entry(1)] }],
  ])("Output with %s is refused with 422", async (_what, body) => {
    const { post } = await scene();
    expect((await post({ attempt: 1, ...body })).status).toBe(422);
  });

  it("Output of more than 5 MiB keeps its beginning and end, and says what was dropped", async () => {
    const { post, read } = await scene();
    const big = (seq: number) => entry(seq, { text: "x".repeat(65_000) });
    for (let seq = 1; seq <= 100; seq++) {
      expect((await post({ attempt: 1, entries: [big(seq)] })).status).toBe(202);
    }
    const output = await read();
    expect(output.dropped).not.toBeNull();
    expect(output.entries[0]?.seq).toBe(1);
    expect(output.entries.at(-1)?.seq).toBe(100);
    expect(output.entries.length).toBeLessThan(100);
  });

  it("Titles and paths count toward the size of output, so entries without text are limited too", async () => {
    const { post, world } = await scene();
    const entries = (from: number) =>
      Array.from({ length: 20 }, (_, at) =>
        entry(from + at, { text: "", title: "t".repeat(1000), path: "p".repeat(2000) }),
      );
    for (let seq = 1; seq <= 2_000; seq += 20) {
      expect((await post({ attempt: 1, entries: entries(seq) })).status).toBe(202);
    }
    const rows = await t.query`select count(*)::int as kept from public.job_outputs o
      join public.agent_jobs j on j.id = o.job_id where j.product_id = ${world.product.id}`;
    expect(rows[0].kept).toBeLessThan(5_242_880 / 3_000);
  });
});

it("Output is paged by after and limit", async () => {
  const { post, read } = await scene();
  await post({ attempt: 1, entries: [1, 2, 3, 4, 5].map((seq) => entry(seq)) });
  expect((await read("?after=2&limit=2")).entries.map(({ seq }) => seq)).toEqual([3, 4]);
});

it("Output of a finished job is complete, even without an entry", async () => {
  const { read, report } = await scene();
  await report({ status: "done", verify_result: "ALIGNED" });
  expect(await read()).toMatchObject({ attempt: 1, complete: true, entries: [] });
});

it("Output about an idea is readable only to the person who asked for it", async () => {
  const { world, token } = await scene();
  const rows = await t.query`with i as (insert into public.ideas (product_id, user_id, code, title)
      values (${world.product.id}, ${world.owner.id}, 'IDEA-901', 'Talk') returning id)
       insert into public.agent_jobs (product_id, idea_id, kind, created_by) select ${world.product.id}, i.id,
         'PLAN_CHAT', ${world.owner.id} from i returning id`;
  const path = `/api/jobs/${rows[0].id}/output`;
  const member = await t.createMember(world.product.id);
  expect((await app.request(path, { headers: bearer(token) })).status).toBe(200);
  expect((await app.request(path, { headers: await t.bearerOf(member) })).status).toBe(403);
});
