import { expect, it } from "vitest";
import { appendJobOutput, getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import { openStream } from "./stream-reader";

const { t, app } = await openApp({ realtime: true });
async function scene() {
  const held = await t.holdJob();
  const token = await t.createToken(held.world.owner);
  const connect = async (lastEventId = "") => {
    const url = `${app.origin}/api/realtime/job?job_id=${held.job.id}`;
    const reader = await openStream(url, { ...bearer(token), "last-event-id": lastEventId });
    return reader;
  };
  const say = (...seqs: number[]) =>
    appendJobOutput.json(held.world.actor, {
      ...held.attempt,
      entries: seqs.map((seq) => ({ seq, at: "2026-11-22T08:00:00.000Z", kind: "text", text: `Word ${seq}` })),
    });
  return { ...held, connect, say };
}

/** One who has heard entries 1 and 2 and left: what it returns with. */
async function leaving({ connect, say }: Awaited<ReturnType<typeof scene>>): Promise<string> {
  const reader = await connect();
  await reader.nextNamed("state");
  await say(1, 2);
  const { id, data } = await reader.nextNamed("output");
  expect(entriesOf(data)).toEqual([1, 2]);
  reader.close();
  return id ?? "";
}

it("A reader who returns to a job's stream gets the missed output, then what follows", async () => {
  const held = await scene();
  const lastEventId = await leaving(held);
  await held.say(3, 4, 5);
  const back = await held.connect(lastEventId);
  expect(await back.next()).toMatchObject({ event: "ready", data: { resumed: true } });
  expect((await back.next()).event).toBe("state");
  const missed = await back.next();
  expect(missed).toMatchObject({ event: "output", data: { job_id: held.job.id, attempt: 1 } });
  expect(entriesOf(missed.data)).toEqual([3, 4, 5]);
  await held.say(6);
  expect(entriesOf((await back.nextNamed("output")).data)).toEqual([6]);
});

it("A returning reader gets the missed output also after leaving again, or when others heard it", async () => {
  const held = await scene();
  const lastEventId = await leaving(held);
  const other = await held.connect();
  await other.nextNamed("state");
  await held.say(3);
  expect(entriesOf((await other.nextNamed("output")).data)).toEqual([3]);
  const ready = await (await held.connect(lastEventId)).next();
  const back = await held.connect(ready.id ?? "");
  expect(await back.next()).toMatchObject({ data: { resumed: true } });
  expect(entriesOf((await back.nextNamed("output")).data)).toEqual([3]);
});

it("A returning reader gets no output twice when another viewer hears it only then", async () => {
  const held = await scene();
  const lastEventId = await leaving(held);
  const other = await held.connect();
  await other.nextNamed("state");
  await held.say(3);
  const back = await held.connect(lastEventId);
  expect(await back.next()).toMatchObject({ data: { resumed: true } });
  expect(entriesOf((await back.nextNamed("output")).data)).toEqual([3]);
  expect(entriesOf((await other.nextNamed("output")).data)).toEqual([3]);
  await held.say(4);
  expect(entriesOf((await back.nextNamed("output")).data)).toEqual([4]);
});

it("A returning reader has to read the job again when the missed output cannot be sent whole", async () => {
  const held = await scene();
  const lastEventId = await leaving(held);
  const comeBack = async (id: string) => (await (await held.connect(id)).next()).data;
  expect(await comeBack(lastEventId)).toHaveProperty("resumed", true);

  const [cursor = ""] = lastEventId.split(";");
  for (const id of [cursor, `${cursor};`, `${cursor};2.1`, `${cursor};1.9`, `${cursor};x`]) {
    expect(await comeBack(id), id).not.toHaveProperty("resumed");
  }
  const letGo = (from: number | null, to: number | null) =>
    t.query`update public.job_attempts set dropped_from = ${from}, dropped_to = ${to} where job_id = ${held.job.id}`;
  await letGo(2, 3);
  expect(await comeBack(lastEventId)).not.toHaveProperty("resumed");
  await letGo(null, null);
  const many = Array.from({ length: 501 }, (_, index) => index + 3);
  await held.say(...many.slice(0, 500));
  await held.say(...many.slice(500));
  expect(await comeBack(lastEventId)).not.toHaveProperty("resumed");
});

it("A job's stream begins with ready and the job as it is", async () => {
  const { connect, job } = await scene();
  const reader = await connect();
  expect(await reader.next()).toMatchObject({ event: "ready", data: { job_id: job.id } });
  expect(await reader.next()).toMatchObject({
    event: "state",
    data: { job: { id: job.id, status: "claimed", attempts: [{ attempt: 1, last_seq: 0 }] } },
  });
});

it("A job's output sends the boards of its product one line about the current step", async () => {
  const { world, job, attempt, say } = await scene();
  const url = `${app.origin}/api/realtime/backlog?product_id=${world.product.id}&live=1`;
  const board = await openStream(url, await t.bearerOf(world.owner));

  await board.nextNamed("ready");
  await say(1);
  const { data } = await board.nextWhere((message) => message.data.entity === "job_output");
  expect(data).toEqual({
    op: "U",
    entity: "job_output",
    id: job.id,
    product_id: world.product.id,
    task_id: job.task_id,
    doing: { kind: "text", title: "Word 1", status: null, at: expect.any(String) },
  });
  expect(data.doing).toEqual((await getAgentJob(world.actor, { job_id: job.id })).doing);
  const doingNow = () => t.query`select private.doing_now(${attempt.job_id}, 1) as doing`;
  // No one is signed in here, so no one reaches the product.
  expect(await doingNow()).toEqual([{ doing: null }]);
});

it("A job's stream carries entries to every viewer, also those that come within a second of a send", async () => {
  const { connect, say } = await scene();
  const readers = [await connect(), await connect()];
  for (const reader of readers) await reader.nextNamed("state");
  await say(1);
  await say(2);
  await say(3);
  for (const reader of readers) {
    const seen: number[] = [];
    while (seen.length < 3) {
      const { data } = await reader.nextNamed("output");
      seen.push(...entriesOf(data));
    }
    expect(seen).toEqual([1, 2, 3]);
  }
});

it("Output within a second of a send reaches every viewer, also after all have read what was sent", async () => {
  const { connect, say, job, world } = await scene();
  const readers = [await connect(), await connect()];
  for (const reader of readers) await reader.nextNamed("state");
  await say(1);
  for (const reader of readers) await reader.nextNamed("output");
  await getAgentJob(world.actor, { job_id: job.id });
  await say(2);
  for (const reader of readers) {
    expect(entriesOf((await reader.nextNamed("output")).data)).toEqual([2]);
  }
});

it("Output right after the first viewer came reaches that viewer, also within a second of the last", async () => {
  const { connect, say } = await scene();
  await say(1);
  const reader = await connect();
  await reader.nextNamed("state");
  await say(2);
  expect(entriesOf((await reader.nextNamed("output")).data)).toEqual([2]);
});

it("A job's stream sends the end of the job, then the job as it is", async () => {
  const { connect, report } = await scene();
  const reader = await connect();
  await reader.nextNamed("state");
  await report({ status: "done", verify_result: "ALIGNED" });
  expect(await reader.nextNamed("job")).toMatchObject({ data: { status: "DONE" } });
  expect(await reader.nextNamed("state")).toMatchObject({
    data: { job: { status: "done", attempts: [{ outcome: "done" }] } },
  });
});

it("A job's stream is 403 for strangers, 400 without a job, 404 if unknown, 401 without a credential", async () => {
  const { job } = await scene();
  const headers = await t.bearerOf(await t.createUser());
  const ask = async (query: string) => (await app.request(`/api/realtime/job${query}`, { headers })).status;
  expect(await ask(`?job_id=${job.id}`)).toBe(403);
  expect(await ask("")).toBe(400);
  expect(await ask("?job_id=nothing")).toBe(404);
  expect((await app.request(`/api/realtime/job?job_id=${job.id}`)).status).toBe(401);
});

function entriesOf(data: unknown): number[] {
  if (typeof data !== "object" || data === null || !("entries" in data)) return [];
  const { entries } = data;
  return Array.isArray(entries) ? entries.map(({ seq }) => Number(seq)) : [];
}
