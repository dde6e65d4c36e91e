import { expect, it } from "vitest";
import {
  cancelSprintRun,
  preflightSprintRun,
  startSprintRun,
} from "~/nouns/sprint-runs/operations.server";
import { startOver } from "~/nouns/stories/operations.server";
import { openApp } from "../setup/app";
import { at, claim, finish } from "../setup/world";

const { t, app } = await openApp({ pages: true });

it("sprint and story say from what the next run begins; a press starts over, and stays to be read", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [2, 1] });
  const { actor, product, sprint } = world;
  const story_id = String(at(world.tasks, 0).story_id);
  const run = await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  const story = { kind: "story", id: story_id } as const;
  await expect(startOver(actor, story)).rejects.toThrow("There is nothing to discard");
  await finish(actor, job, {
    base_sha: "0".repeat(40),
    head_sha: "a".repeat(40),
    pushed_at: new Date().toISOString(),
  });
  await expect(startOver(actor, story)).rejects.toThrow("Cancel it first, then start over");
  await cancelSprintRun(actor, { sprint_run_id: run.id });

  const visitor = await app.visitorOf(world.owner);
  const board = `/products/${product.id}/sprints/${sprint.id}`;
  const line = `${job.story?.code} continues ${job.branch}, not on main`;
  expect(await visitor.read(board)).toContain(line);
  expect(await visitor.read(board)).toContain("Start over from main");
  expect(await visitor.read(`/stories/${story_id}`)).toContain(line);

  await visitor.submit(`/stories/${story_id}`, "start-over");
  const page = await visitor.read(`/stories/${story_id}`);
  expect(page).toContain("started over from main");
  expect(page).toContain("Starts from main.");
  expect((await preflightSprintRun(actor, { sprint_id: sprint.id })).begins_from).toEqual([]);
  const rows = await t.query`select kind from audit_events where kind like 'story.%'`;
  expect(rows).toEqual([{ kind: "story.started_over" }]);
});

it("a claim names what its branch has to hold", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [2] });
  const { actor, sprint } = world;
  const first = await startSprintRun(actor, { sprint_id: sprint.id });
  const job = await claim(actor);
  await finish(actor, job, {
    base_sha: "0".repeat(40),
    head_sha: "b".repeat(40),
    pushed_at: new Date().toISOString(),
  });
  await cancelSprintRun(actor, { sprint_run_id: first.id });
  await startSprintRun(actor, { sprint_id: sprint.id });
  expect(await claim(actor)).toMatchObject({
    begins_from: [
      { head_sha: "b".repeat(40), branch: job.branch, judged: true, task_code: job.task?.code },
    ],
  });
});
