import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { setRecurrence } from "~/nouns/recurrences/recurrences.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { ownDataDir } from "../embedded/own-stack";
import { connectClient } from "../mcp/clients";
import { at, bearer } from "../setup/world";
import { openStream } from "../streams/stream-reader";
import { killService, type OwnService, openOwnDatabase, startService } from "./own-service";

const dataDir = await ownDataDir();
/** Two processes of the operating system, each as `npm start` runs it, over one Postgres. A backup is due each second. */
const env = { BACKUP_SCHEDULE: "* * * * * *", BACKUP_KEEP: "100" };
const begun = new Date().toISOString();
let first = await startService(dataDir, { env });
const second = await startService(dataDir, { env });
const store = await openOwnDatabase(dataDir);

/** How often this process itself has called an operation of the database. */
async function callsOf({ origin }: OwnService, operation: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const sample = `backloom_database_call_duration_seconds_count{operation="${operation}"} `;
  const line = text.split("\n").find((each) => each.startsWith(sample));
  return Number(line?.slice(sample.length) ?? 0);
}

async function everyoneCalls(operation: string, times: number): Promise<void> {
  const services = [first, second];
  const before = await Promise.all(services.map((service) => callsOf(service, operation)));
  await vi.waitFor(
    async () => {
      const now = await Promise.all(services.map((service) => callsOf(service, operation)));
      for (const [n, calls] of now.entries()) {
        expect(calls).toBeGreaterThanOrEqual(at(before, n) + times);
      }
    },
    { timeout: 60_000, interval: 200 },
  );
}

async function minutesSince(at: string): Promise<number> {
  const rows = await store.query<{ minutes: number }>`select 1 + (extract(epoch
    from date_trunc('minute', now()) - date_trunc('minute',
    ${at}::timestamptz)) / 60)::int as minutes`;
  return rows[0]?.minutes ?? 0;
}

describe("two processes of the operating system on one database", { timeout: 240_000 }, () => {
  it("A worker that arrives at or leaves one process is shown to anyone connected to the other", async () => {
    const { owner, product } = await store.seedSprint();
    const token = await store.createToken(owner);
    const path = `/api/realtime/solo?product_id=${product.id}`;
    const stream = await openStream(`${second.origin}${path}`, bearer(token));
    expect((await stream.nextNamed("workers")).data).toEqual({ count: 0 });
    const worker = await connectClient(first, token, undefined, "/mcp/worker");
    const presence = () => stream.nextWhere(({ data }) => data.entity === "worker");
    await worker.call("worker_heartbeat", { worker: "far" });
    expect((await presence()).data).toMatchObject({ op: "I", name: "far", stopped: false });
    const later = await openStream(`${second.origin}${path}`, bearer(token));
    expect((await later.nextNamed("workers")).data).toEqual({ count: 1 });
    later.close();
    await worker.call("worker_heartbeat", { worker: "far", stopped: true });
    expect((await presence()).data).toMatchObject({ name: "far", stopped: true });
    stream.close();
    await worker.close();
  });

  it("Two processes count one limit together: of 160 requests at once, 120 are accepted", async () => {
    const owner = await store.createUser();
    const { story } = await store.seedBacklog(owner);
    const headers = { ...(await store.bearerOf(owner)), "content-type": "application/json" };
    const body = JSON.stringify({ type: "IMPLEMENTATION_PLAN", content: "Plan" });
    const answers = await Promise.all(
      Array.from({ length: 80 }, () => [first, second])
        .flat()
        .map(({ origin }) => fetch(`${origin}/api/stories/${story.id}/log`, { method: "POST", headers, body })),
    );
    const taken = answers.filter(({ status }) => status === 201);
    expect(taken).toHaveLength(120);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(40);
    for (const { headers: said } of refused) expect(Number(said.get("retry-after"))).toBeGreaterThan(0);
  });

  it("Two processes make each slot of recurring work once, no matter which sees it first", async () => {
    const templates: string[] = [];
    for (let n = 0; n < 5; n++) {
      const owner = await store.createUser();
      const { story } = await store.seedBacklog(owner);
      const schedule = { cron: "0 9 * * 1", zone: "Europe/Berlin", missed: "once" } as const;
      await setRecurrence(store.actorOf(owner), { story_id: story.id, ...schedule });
      templates.push(story.id);
    }
    await store.query`update recurrences set next_at = now() where story_id = any (${templates})`;
    // One may have been under way when the slots came.
    await everyoneCalls("sweep", 2);
    const rows = await store.query`
      select r.story_id, (select count(*)::int from stories s where s.template_id = r.story_id) as copies,
        (select count(*)::int from recurrence_slots x where x.story_id = r.story_id) as slots
      from recurrences r where r.story_id = any (${templates})`;
    expect(rows).toHaveLength(templates.length);
    for (const row of rows) expect(row).toMatchObject({ copies: 1, slots: 1 });
  });

  it("Two processes in which a backup is due make at most one per minute", async () => {
    const copies = async () =>
      (await readdir(join(dataDir, "backups")).catch(() => [])).filter((name) => name.endsWith("Z"));
    await vi.waitFor(async () => expect(await copies()).not.toEqual([]), 120_000);
    await everyoneCalls("claim_schedule_run", 5);
    const made = await copies();
    const rows = await store.query`select from public.schedule_runs where name = 'backup' and due_at <= now()`;
    // Due each second in both, and each takes seconds: without the claim there were many.
    expect(made.length).toBeLessThanOrEqual(rows.length);
    expect(rows.length).toBeLessThanOrEqual(await minutesSince(begun));
  });

  it("A job that a killed process had given out continues through the other process", async () => {
    const { owner, actor, sprint, product } = await store.seedSprint({ stories: [1] });
    const token = await store.createToken(owner);
    await startSprintRun(actor, { sprint_id: sprint.id });
    const wish = { worker: "taker", product_id: product.id, wait_seconds: 0 };
    const held = z.object({ job: z.object({ id: z.string(), attempt: z.number() }) });
    const early = await connectClient(first, token, undefined, "/mcp/worker");
    const taken = held.parse((await early.call("wait_for_job", wish)).result).job;
    const stream = await openStream(`${first.origin}/api/realtime/solo?product_id=${product.id}`, bearer(token));
    await stream.nextNamed("workers");
    await killService(first);
    await stream.ended;

    // The worker is not heard of again: its lease runs out.
    await store.query`update agent_jobs set lease_until = now() where id = ${taken.id}`;
    const late = await connectClient(second, token, undefined, "/mcp/worker");
    const other = { ...wish, worker: "another", wait_seconds: 30 };
    const again = held.parse((await late.call("wait_for_job", other)).result).job;
    expect(again).toMatchObject({ id: taken.id, attempt: taken.attempt + 1 });
    const report = (attempt: number) =>
      late.call("update_job_status", { job_id: taken.id, attempt, status: "done", verify_result: "ALIGNED" });
    expect((await report(taken.attempt)).isError).toBe(true);
    expect((await report(again.attempt)).isError).toBe(false);

    // Anyone who returns finds the state as it is now, in the process that is left and in the one that comes after.
    first = await startService(dataDir, { env });
    for (const { origin } of [first, second]) {
      const answer = await fetch(`${origin}/api/sprints/${sprint.id}/tasks`, { headers: bearer(token) });
      expect(JSON.stringify(await answer.json())).toContain('"status":"done"');
    }
    await late.close();
  });
});
