import { describe, expect, it } from "vitest";
import { jobOutputSchema } from "~/contract/job-output";
import { claim, holdJob } from "../db/agents/sprint-world";
import { bearer, createToken, signIn, startTestApp } from "../setup/app";
import { addMember } from "../setup/backlog";
import { createTestDatabase } from "../setup/database";
import { createUser } from "../setup/users";

const t = await createTestDatabase();
const app = await startTestApp(t);

const entry = (seq: number, rest: Record<string, unknown> = {}) => ({
  seq,
  at: "2026-11-22T08:00:00.000Z",
  kind: "text",
  text: `Word ${seq}`,
  ...rest,
});

async function scene() {
  const { world, job, attempt, report } = await holdJob(t);
  const token = await createToken(t, world.owner);
  const path = `/api/jobs/${job.id}/output`;
  const post = (body: unknown, headers: Record<string, string> = bearer(token)) =>
    app.request(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const read = async (query = "", headers: Record<string, string> = bearer(token)) =>
    jobOutputSchema.parse(await (await app.request(`${path}${query}`, { headers })).json());
  return { world, job, attempt, report, token, path, post, read };
}

describe("POST /api/jobs/:id/output", () => {
  it("adds entries, answers 202 with last_seq, and ignores a repeated seq", async () => {
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
    expect(output).toMatchObject({
      job_id: job.id,
      attempt: 1,
      last_seq: 3,
      complete: false,
      dropped: null,
    });
    expect(output.entries.map(({ seq, text }) => [seq, text])).toEqual([
      [1, "Word 1"],
      [2, "Word 2"],
      [3, "Word 3"],
    ]);
    expect(output.entries[1]).toMatchObject({
      kind: "command",
      title: "npm test",
      status: "running",
      path: null,
    });
  });

  it("takes what an attempt says at its end, and refuses a lost attempt with 409", async () => {
    const { post, read, report, world, job } = await scene();
    await report({
      status: "failed",
      failure_class: "rate_limited",
      resets_at: "2000-01-01T00:00:00Z",
    });
    expect((await post({ attempt: 1, entries: [entry(1)] })).status).toBe(202);
    expect((await claim(world.actor, "worker-2")).id).toBe(job.id);
    const lost = await post({ attempt: 1, entries: [entry(2)] });
    expect(lost.status).toBe(409);
    expect(await lost.json()).toMatchObject({
      code: 409,
      error: expect.stringContaining("Attempt 1"),
    });
    expect((await read("?attempt=1")).complete).toBe(true);
    expect(await read()).toMatchObject({ attempt: 2, entries: [], complete: false });
  });

  it("refuses strangers, demo accounts, sessions, archived products and unknown jobs", async () => {
    const { post, path, world } = await scene();
    const body = { attempt: 1, entries: [entry(1)] };
    const stranger = await createUser(t);
    expect((await post(body, bearer(await createToken(t, stranger)))).status).toBe(403);
    expect((await post(body, { cookie: await signIn(t, app, world.owner) })).status).toBe(401);
    const demo = await createUser(t, { demo: true });
    await addMember(t, world.product.id, demo);
    expect((await post(body, bearer(await createToken(t, demo)))).status).toBe(403);
    const member = await createUser(t);
    await addMember(t, world.product.id, member);
    expect((await post(body, bearer(await createToken(t, member)))).status).toBe(409);
    await t.sql.query("update public.products set archived_at = now() where id = $1", [
      world.product.id,
    ]);
    expect((await post(body)).status).toBe(403);
    const unknown = path.replace(/[0-9a-f-]{36}/, "00000000-0000-4000-8000-000000000000");
    expect(
      (await app.request(unknown, { headers: bearer(await createToken(t, member)) })).status,
    ).toBe(404);
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
  ])("refuses %s with 422", async (_what, body) => {
    const { post } = await scene();
    expect((await post({ attempt: 1, ...body })).status).toBe(422);
  });

  it("keeps the beginning and the end of more than 5 MiB, and says what is gone", async () => {
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
});

describe("GET /api/jobs/:id/output", () => {
  it("pages by after and limit", async () => {
    const { post, read } = await scene();
    await post({ attempt: 1, entries: [1, 2, 3, 4, 5].map((seq) => entry(seq)) });
    expect((await read("?after=2&limit=2")).entries.map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it("is empty before the first claim, and complete after the end", async () => {
    const { read, report } = await scene();
    await report({ status: "done", verify_result: "ALIGNED" });
    expect(await read()).toMatchObject({ attempt: 1, complete: true, entries: [] });
  });

  it("keeps what is said about an idea for whoever asked", async () => {
    const { world, token } = await scene();
    const { rows } = await t.sql.query(
      `with i as (insert into public.ideas (product_id, user_id, code, title) values ($1, $2, 'IDEA-901', 'Talk') returning id)
       insert into public.agent_jobs (product_id, idea_id, kind, created_by) select $1, i.id, 'PLAN_CHAT', $2 from i returning id`,
      [world.product.id, world.owner.id],
    );
    const path = `/api/jobs/${rows[0].id}/output`;
    const member = await createUser(t);
    await addMember(t, world.product.id, member);
    expect((await app.request(path, { headers: bearer(token) })).status).toBe(200);
    expect(
      (await app.request(path, { headers: bearer(await createToken(t, member)) })).status,
    ).toBe(403);
  });
});

describe("GET /api/jobs/:id", () => {
  it("shows the job with its attempts, to members only", async () => {
    const { job, token, report } = await scene();
    await report({ status: "done", verify_result: "ALIGNED", head_sha: "b".repeat(40) });
    const answer = await app.request(`/api/jobs/${job.id}`, { headers: bearer(token) });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      id: job.id,
      status: "done",
      attempts: [
        { attempt: 1, worker_name: "worker-1", outcome: "done", head_sha: "b".repeat(40) },
      ],
    });
    const stranger = bearer(await createToken(t, await createUser(t)));
    expect((await app.request(`/api/jobs/${job.id}`, { headers: stranger })).status).toBe(403);
  });
});
