import { expect, it } from "vitest";
import { getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { openApp } from "../setup/app";
import { at } from "../setup/world";

const { t, app } = await openApp({ pages: true });

async function scene() {
  const plan = (story: number) => (story === 1 ? undefined : "1. Do it");
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1], plan });
  const visitor = await app.visitorOf(world.owner);
  const run = (...items: string[]) =>
    `/products/${world.product.id}/runs/new?${new URLSearchParams(items.map((item) => ["item", item]))}`;
  const runOf = async (address: string | null) => {
    const id = /runs\/([0-9a-f-]{36})/.exec(address ?? "")?.[1] ?? "";
    return getSprintRun(world.actor, { sprint_run_id: id });
  };
  return { ...world, ...visitor, run, runOf };
}

it("a planned task starts at once, and its run has a page without a sprint", async () => {
  const { stories, tasks, product, read, send, run, runOf } = await scene();
  const address = run(`task:${at(tasks, 1).id}`, `story:${at(stories, 0).id}`);
  const told = (await read(address)).replaceAll(/<[^>]*>/g, "");
  expect(told).toContain("Start run");
  // What it runs, who could do it, and what it may take.
  for (const { code, title } of [at(tasks, 0), at(tasks, 1)]) expect(told).toContain(code + title);
  expect(told).toMatch(/2 tasks.*No worker is online.*Not enough data for a forecast/s);
  const led = (await send(run(`task:${at(tasks, 1).id}`), [])).headers.get("location");
  const started = await runOf(led);
  expect(started).toMatchObject({ sprint_id: null, jobs_total: 1 });
  const page = await read(led ?? "");
  expect(page.replaceAll(/<[^>]*>/g, "")).toContain(`Run of ${at(started.jobs, 0).task_code}`);
  expect(page).not.toContain("/sprints/null");
  expect(await read(`/agents/runs?product=${product.id}`)).toContain(started.subject);
});

it("blockers are listed with their cures, and each press starts or tells what is left", async () => {
  const { stories, tasks, send, run, runOf } = await scene();
  const items = stories.map(({ id }) => `story:${id}`);
  const refused = await send(run(...items), []);
  expect(refused.status).toBe(409);
  const page = await refused.text();
  expect(page).toContain("1 blocker");
  for (const cure of ["Agent plans first", "Use the description", "Leave it out"]) {
    expect(page).toContain(cure);
  }
  const without = await send(run(...items), [["cure", `without:task:${at(tasks, 0).id}`]]);
  expect(without.status).toBe(303);
  const started = await runOf(without.headers.get("location"));
  expect(started.jobs.map(({ task_id }) => task_id)).toEqual([at(tasks, 1).id]);
});

it("the start of a sprint takes the same cures", async () => {
  const { product, sprint, read, submit, runOf } = await scene();
  const board = `/products/${product.id}/sprints/${sprint.id}`;
  expect(await read(board)).toContain("Agent plans first");
  const led = await submit(board, "start-run", { cure: "plan_first leave_out" });
  expect(await runOf(led)).toMatchObject({ plan_first: true, jobs_total: 2 });
});
