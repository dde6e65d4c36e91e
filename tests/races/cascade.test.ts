import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPbi, updatePbi } from "~/nouns/pbis/operations.server";
import { getBacklog } from "~/nouns/products/operations.server";
import { createStory } from "~/nouns/stories/operations.server";
import { moveTask, setTaskStatus, updateTask } from "~/nouns/tasks/operations.server";
import type { Pbi } from "~/wire/pbis/contract";
import { type TaskStatus, taskStatuses } from "~/wire/status";
import type { Story } from "~/wire/stories/contract";
import type { Task } from "~/wire/tasks/contract";
import { becomeCaller } from "../db/as-user";
import { createTestDatabase } from "../setup/database";
import { at, type World } from "../setup/world";

const t = await createTestDatabase();

/** The rules of the contract as plain functions of the tasks: what the database must have derived in the end. */
function storyStatus(tasks: readonly Task[], story: Story): Story["status"] {
  if (tasks.some(({ status }) => status === "failed")) return "failed";
  if (tasks.length > 0 && tasks.every(({ status }) => status === "done")) return "done";
  return story.sprint_id ? "in_sprint" : "open";
}

function pbiStatus(pbi: Pbi, stories: readonly Story[]): Pbi["status"] {
  if (pbi.status === "blocked") return "blocked";
  if (stories.some(({ status }) => status === "failed")) return "failed";
  return stories.length > 0 && stories.every(({ status }) => status === "done") ? "done" : "ready";
}

async function expectDerived({ actor, product }: World) {
  const { pbis, storiesByPbi, tasksByStory } = await getBacklog(actor, { product_id: product.id });
  for (const pbi of pbis) {
    const stories = storiesByPbi[pbi.id] ?? [];
    for (const story of stories) {
      expect(story.status).toBe(storyStatus(tasksByStory[story.id] ?? [], story));
    }
    expect(pbi.status).toBe(pbiStatus(pbi, stories));
  }
  return pbis;
}

describe("the last tasks of a story finishing at the same moment (J11)", () => {
  it("A story and its PBI are done when its last tasks finish at once, 200 times out of 200", async () => {
    const world = await t.seedWorld(2);
    const [first, second] = [at(world.tasks, 0).id, at(world.tasks, 1).id];
    let done = 0;
    for (let round = 0; round < 200; round++) {
      await t.query`update public.tasks set status = 'IN_PROGRESS' where story_id = ${world.story.id}`;
      await Promise.all([
        updateTask(world.actor, { task_id: first, status: "done" }),
        updateTask(world.actor, { task_id: second, status: "done" }),
      ]);
      const rows = await t.query`select s.status as story, b.status as pbi from public.stories s
        join public.pbis b on b.id = s.pbi_id where s.id = ${world.story.id}`;
      if (rows[0]?.story === "DONE" && rows[0]?.pbi === "DONE") done++;
    }
    expect(done).toBe(200);
  });

  it("A story is failed when one of its last tasks fails as the other finishes", async () => {
    const world = await t.seedWorld(2);
    for (let round = 0; round < 30; round++) {
      await t.query`update public.tasks set status = 'IN_PROGRESS' where story_id = ${world.story.id}`;
      await Promise.all([
        setTaskStatus(world.actor, { task_id: at(world.tasks, 0).id, status: "done" }),
        setTaskStatus(world.actor, { task_id: at(world.tasks, 1).id, status: "failed" }),
      ]);
      expect(at(await expectDerived(world), 0).status).toBe("failed");
    }
  });
});

describe("400 random changes by 60 connections (J11)", () => {
  it("Random changes at once end as the pure model says, without deadlock; a blocked PBI stays blocked", async () => {
    const world = await t.seedWorld(6);
    const blocked = await createPbi(world.actor, { product_id: world.product.id, title: "Blocked" });
    await updatePbi(world.actor, { pbi_id: blocked.id, status: "blocked" });
    const stories: { id: string }[] = [world.story];
    for (const pbi_id of [world.pbi.id, world.pbi.id, blocked.id]) {
      stories.push(await createStory(world.actor, { pbi_id, title: "Story" }));
    }
    const changes = fc.sample(
      fc.record({
        task: fc.nat(5),
        status: fc.constantFrom(...taskStatuses),
        story: fc.nat(3),
        way: fc.constantFrom("operation", "operation", "move", "direct"),
      }),
      400,
    );
    const work = [...changes];
    const errors: unknown[] = [];
    await Promise.all(
      Array.from({ length: 60 }, async () => {
        for (let change = work.pop(); change; change = work.pop()) {
          await apply(world, stories, change).catch((error: unknown) => errors.push(error));
        }
      }),
    );
    expect(errors).toEqual([]);
    const pbis = await expectDerived(world);
    expect(pbis.find(({ id }) => id === blocked.id)?.status).toBe("blocked");
  });
});

type Change = { task: number; status: TaskStatus; story: number; way: string };

async function apply(world: World, stories: readonly { id: string }[], change: Change) {
  const task_id = at(world.tasks, change.task).id;
  if (change.way === "move") {
    return moveTask(world.actor, { task_id, story_id: at(stories, change.story).id });
  }
  if (change.way === "direct") return writeTwoTasksDirectly(world, change);
  return setTaskStatus(world.actor, { task_id, status: change.status });
}

/** What the Data API does for a user who updates two tasks in one transaction, in any order: no operation, no lock of its own. */
async function writeTwoTasksDirectly(world: World, change: Change) {
  const status = change.status === "todo" ? "TO_DO" : change.status.toUpperCase();
  await t.inTransaction(async (client) => {
    await becomeCaller(client, world.owner);
    for (const index of [change.task, change.story]) {
      await client.query("update public.tasks set status = $1 where id = $2", [status, at(world.tasks, index).id]);
    }
  });
}
