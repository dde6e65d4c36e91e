import { Cron } from "croner";
import { expect, it, vi } from "vitest";
import { dailySchedule, runMissedEntries, runScheduledEntry, startScheduler } from "~/server/scheduler.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const first = await startTestApp(t);
const second = await startTestApp(t, { env: { cronSecret: first.cronSecret } });

const processes = [first, second].map((app) => ({
  database: t.database,
  log: app.services.log,
  ownOrigin: app.origin,
  cronSecret: first.cronSecret,
}));

it("The schedule runs cleanup at 03:00 and expiry at 04:00 UTC, daily", () => {
  const after = new Date("2026-11-20T12:00:00Z");
  const next = dailySchedule.map(({ name, pattern }) => {
    const cron = new Cron(pattern, { timezone: "UTC", paused: true });
    const runs = cron.nextRuns(2, after).map((run) => run.toISOString());
    cron.stop();
    return [name, ...runs];
  });
  expect(next).toEqual([
    ["cleanup-agent-artifacts", "2026-11-21T03:00:00.000Z", "2026-11-22T03:00:00.000Z"],
    ["expire-questions", "2026-11-21T04:00:00.000Z", "2026-11-22T04:00:00.000Z"],
  ]);
});

it("Each entry of the schedule runs in one of several processes, even if their clocks differ a little", async () => {
  for (const { name } of dailySchedule) {
    const due = Date.parse("2026-11-21T04:00:00Z");
    const ran = await Promise.all(
      processes.flatMap((options) =>
        [0, 40, 900].map((delay) => runScheduledEntry(options, name, new Date(due + delay))),
      ),
    );
    expect(ran.filter(Boolean)).toHaveLength(1);
    const nextDay = new Date(due + 86_400_000);
    expect(await runScheduledEntry(processes[1] ?? raise(), name, nextDay)).toBe(true);
  }
});

it("A scheduled call that the endpoint refuses is reported as an error", async () => {
  const wrong = { ...(processes[0] ?? raise()), cronSecret: "another secret altogether" };
  const due = new Date("2026-11-25T04:00:00Z");
  await expect(runScheduledEntry(wrong, "expire-questions", due)).rejects.toThrow("401");
});

it("An entry of the schedule whose call failed is tried again in any process, until it ran once", async () => {
  const now = new Date("2026-12-02T10:30:00Z");
  const wrong = { ...(processes[0] ?? raise()), cronSecret: "another secret altogether" };
  const good = processes[1] ?? raise();
  await t.query`delete from public.users`;
  // An installation without accounts at that time has missed nothing.
  await runMissedEntries(wrong, now);
  await t.createUser();
  await expect(runMissedEntries(wrong, now)).rejects.toThrow("401");
  const states = async () => {
    const rows = await t.query`
        select name, due_at, finished_at is not null as finished from public.schedule_runs
        where due_at >= '2026-12-02' order by due_at`;
    return rows;
  };
  const cleanup = { name: "cleanup-agent-artifacts", due_at: new Date("2026-12-02T03:00:00Z") };
  const expiry = { name: "expire-questions", due_at: new Date("2026-12-02T04:00:00Z") };
  expect(await states()).toEqual([{ ...cleanup, finished: false }]);

  // It may still be under way elsewhere; five minutes later it is not.
  await runMissedEntries(good, now);
  expect(await states()).toEqual([
    { ...cleanup, finished: false },
    { ...expiry, finished: true },
  ]);
  await t.query`update public.schedule_runs set claimed_at = now() - interval '6 minutes'`;
  await runMissedEntries(good, now);
  expect(await states()).toEqual([
    { ...cleanup, finished: true },
    { ...expiry, finished: true },
  ]);
  await t.query`update public.schedule_runs set claimed_at = now() - interval '6 minutes'`;
  expect(await runScheduledEntry(good, "expire-questions", expiry.due_at)).toBe(false);
});

it("A lease that ran out is taken back within five seconds", async () => {
  const { job } = await t.holdJob();
  await t.query`update public.agent_jobs set lease_until = now() where id = ${job.id}`;
  // Its clock alone stands still: the test lets five seconds pass and no more.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stop = startScheduler({ ...(processes[0] ?? raise()), daily: false });
  vi.advanceTimersByTime(5_000);
  vi.useRealTimers();
  await expect.poll(() => t.columnOf("agent_jobs", job.id, "status")).toBe("QUEUED");
  await stop();
});

function raise(): never {
  throw new Error("Two processes were started.");
}
