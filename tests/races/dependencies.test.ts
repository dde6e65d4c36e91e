import { expect, it } from "vitest";
import { claimAgentJob, reportAgentJob, reportMerged } from "~/nouns/agent-jobs/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { refusalOf } from "../db/refusal";
import { createTestDatabase } from "../setup/database";
import { at, claim, finish, type SprintWorld, wait, waitStory } from "../setup/world";

/** More tasks on demand: RACE_ROUNDS=100 npx vitest run tests/races makes it a chain of 1,000. */
const tasksOfChain = Number(process.env.RACE_ROUNDS ?? 20) * 10;
const t = await createTestDatabase();
const rounds = Number(process.env.RACE_ROUNDS ?? 2);

/** Seeds dependencies in one statement; which way they point is the test's to know. */
async function chain(world: SprintWorld): Promise<void> {
  await t.sql.query(
    `insert into public.task_dependencies (blocked_id, blocker_id, product_id)
     select n.id, p.id, $2 from unnest($1::uuid[]) with ordinality n (id, place)
     join unnest($1::uuid[]) with ordinality p (id, place) on p.place = n.place - 1`,
    [world.tasks.map(({ id }) => id), world.product.id],
  );
}

/** Many tasks, five a story and in an order that is not that of their codes. */
async function seedMany(count: number): Promise<SprintWorld> {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1] });
  await t.query`with made as (
      insert into public.stories (pbi_id, title, sprint_id)
      select ${world.pbi.id}, 'Story', ${world.sprint.id} from generate_series(1, ${count} / 5) returning id
    ) insert into public.tasks (story_id, title, implementation_plan)
      select m.id, 'Task', 'Do it' from made m cross join generate_series(1, 5)`;
  const tasks = await t.query<{ id: string; code: string }>`select id, code from public.tasks
    where product_id = ${world.product.id} order by md5(code)`;
  return { ...world, tasks };
}

/** Tasks from which a walk along the dependencies, stories included, returns to where it began. */
async function circles(world: SprintWorld): Promise<number> {
  const rows = await t.query<{ n: number }>`with recursive steps (a, b) as (
       select blocker_id::text, blocked_id::text from public.task_dependencies where product_id = ${world.product.id}
       union all select 'end' || blocker_id, 'start' || blocked_id from public.story_dependencies
         where product_id = ${world.product.id}
       union all select 'start' || story_id, id::text from public.tasks where product_id = ${world.product.id}
       union all select id::text, 'end' || story_id from public.tasks where product_id = ${world.product.id}
     ), walks (a, b) as (
       select a, b from steps union select w.a, s.b from walks w join steps s on s.a = w.b
     ) select count(*)::int as n from walks where a = b`;
  return at(rows, 0).n;
}

/** Workers that take and end jobs until none is left; the codes in the order of their claims. */
async function work(world: SprintWorld, workers: number): Promise<string[]> {
  const claimed: string[] = [];
  let left = world.tasks.length;
  await Promise.all(
    Array.from({ length: workers }, async (_, n) => {
      while (left > 0) {
        const { job } = await claimAgentJob(world.actor, { worker: `w-${n}` });
        if (!job) continue;
        claimed.push(job.task?.code ?? "");
        await finish(world.actor, job);
        left--;
      }
    }),
  );
  return claimed;
}

it("Opposite dependencies of two tasks or stories, added 100 times at once, never both exist", async () => {
  const world = await t.seedSprint({ stories: [2, 1] });
  const [a, b] = [at(world.tasks, 0), at(world.tasks, 1)];
  const attempts = await Promise.allSettled(
    Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? wait(world.actor, a, b) : wait(world.actor, b, a))),
  );
  expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(50);
  expect(await circles(world)).toBe(0);

  const [s, r] = [at(world.stories, 0), at(world.stories, 1)];
  await Promise.allSettled(
    Array.from({ length: 100 }, (_, n) => {
      if (n % 4 === 0) return waitStory(world.actor, s, r);
      if (n % 4 === 1) return waitStory(world.actor, r, s);
      if (n % 4 === 2) return wait(world.actor, a, at(r.tasks, 0));
      return wait(world.actor, at(r.tasks, 0), a);
    }),
  );
  expect(await circles(world)).toBe(0);
  await t.expectRightCounters();
});

it(
  "Random dependencies added at once never close a circle, and each refusal shows its path",
  async () => {
    for (let round = 1; round <= rounds; round++) await addAtRandom();
  },
  30_000 * rounds,
);

async function addAtRandom(): Promise<void> {
  const world = await t.seedSprint({ stories: [3, 3, 3, 3] });
  const pairs = world.tasks.flatMap((one) => world.tasks.map((other) => [one, other] as const));
  const order = pairs.filter(([one, other]) => one !== other);
  order.sort(() => Math.random() - 0.5);
  const refused = await Promise.all(
    order.slice(0, 80).map(([one, other]) =>
      wait(world.actor, one, other).then(
        () => 0,
        () => 1,
      ),
    ),
  );
  expect(refused.reduce<number>((sum, one) => sum + one, 0)).toBeGreaterThan(0);
  expect(await circles(world)).toBe(0);
  const rows = await t.query<{ blocked_id: string; blocker_id: string }>`select blocked_id,
      blocker_id from public.task_dependencies where product_id = ${world.product.id} limit 5`;
  for (const row of rows) {
    const back = await refusalOf(wait(world.actor, { id: row.blocker_id, code: "" }, { id: row.blocked_id, code: "" }));
    expect(back.detail).toMatchObject({ path: expect.any(Array) });
  }
  await t.expectRightCounters();
}

it("a long chain of tasks is claimed in order by 8 workers", async () => {
  const world = await seedMany(tasksOfChain);
  await chain(world);
  await world.start();
  await t.expectRightCounters();
  const claimed = await work(world, 8);
  expect(claimed).toEqual(world.tasks.map(({ code }) => code));
  await t.expectRightCounters();
}, 240_000);

it(
  "A task is freed by the last of its blockers, in every lane, even if they end at once",
  async () => {
    for (let round = 1; round <= rounds; round++) {
      const world = await t.seedSprint({ strategy: "STORY", stories: Array(12).fill(2) });
      const { tasks } = world;
      for (const [n, task] of tasks.entries()) {
        for (const step of [3, 5, 7]) {
          const blocker = tasks[n + step];
          if (blocker) await wait(world.actor, task, blocker);
        }
      }
      await waitStory(world.actor, at(world.stories, 0), at(world.stories, 11));
      await world.start();
      const claimed = await work(world, 8);
      const place = new Map(claimed.map((code, index) => [code, index]));
      expect(claimed).toHaveLength(tasks.length);
      for (const [n, task] of tasks.entries()) {
        for (const step of [3, 5, 7]) {
          const blocker = tasks[n + step];
          if (!blocker) continue;
          expect(place.get(blocker.code)).toBeLessThan(place.get(task.code) ?? -1);
        }
      }
      await t.expectRightCounters();
    }
  },
  30_000 * rounds,
);

it(
  "No agent is given a blocked task when its blocker ends, reopens and agents claim at once",
  async () => {
    for (let round = 1; round <= 2 * rounds; round++) {
      const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
      const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
      await wait(world.actor, second, first);
      await world.start();
      const job = await claim(world.actor, "w-0");
      const [, , ...claims] = await Promise.all([
        reportAgentJob(world.actor, { job_id: job.id, attempt: 1, status: "done", verify_result: "ALIGNED" }),
        setTaskStatus(world.actor, { task_id: first.id, status: "todo" }),
        ...[1, 2, 3].map((n) => claimAgentJob(world.actor, { worker: `w-${n}` })),
      ]);
      const rows = await t.query<{ status: string; open_blockers: number }>`select status::text,
          open_blockers from public.agent_jobs where task_id = ${second.id}`;
      const given = claims.some((answer) => "job" in answer && answer.job !== null);
      const { status, open_blockers } = at(rows, 0);
      expect(status === "CLAIMED").toBe(given);
      if (!given && open_blockers > 0) expect(status).toBe("QUEUED");
      await t.expectRightCounters();
    }
  },
  30_000 * rounds,
);

it(
  "Counters of blockers equal a fresh count after tasks, merges and settings change in any order",
  async () => {
    for (let round = 1; round <= 2 * rounds; round++) {
      const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1, 2, 1] });
      const [first, second, third] = [at(world.tasks, 0), at(world.tasks, 1), at(world.tasks, 2)];
      const set = (dependency_release: "done" | "merged") =>
        updateProduct(world.actor, { product_id: world.product.id, dependency_release });
      await set(round % 2 === 0 ? "merged" : "done");
      await wait(world.actor, third, first, second);
      await waitStory(world.actor, at(world.stories, 3), at(world.stories, 0));
      await world.start();
      const jobs = [await claim(world.actor, "w-0"), await claim(world.actor, "w-1")];
      await Promise.all([
        ...jobs.map(async ({ id, attempt }, n) => {
          await reportAgentJob(world.actor, {
            job_id: id,
            attempt,
            status: "done",
            verify_result: "ALIGNED",
            base_sha: "0".repeat(40),
            head_sha: String(n + 1).repeat(40),
          });
          await reportMerged(world.actor, { job_id: id });
        }),
        set("merged"),
        set("done"),
        set("merged"),
        claimAgentJob(world.actor, { worker: "w-2" }),
      ]);
      await t.expectRightCounters();
      await set("merged");
      await t.expectRightCounters();
      const rows = await t.query`select 1 from agent_jobs where product_id = ${world.product.id} and open_blockers > 0`;
      expect(rows).toEqual([]);
    }
  },
  30_000 * rounds,
);
