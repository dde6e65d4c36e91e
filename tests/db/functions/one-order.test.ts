import { expect, it } from "vitest";
import { z } from "zod";
import { callAs } from "~/db/rpc.server";
import { createTestDatabase } from "../../setup/database";
import { create } from "../../setup/world";

const t = await createTestDatabase();

const code = z.looseObject({ code: z.string() });
const listed = z.looseObject({ stories: z.array(code), tasks: z.array(code) });
const codes = (items: { code: string }[]) => items.map((item) => item.code);

it("stories and tasks without a number stand in the order of their making on every page", async () => {
  const world = await t.seedWorld(0);
  const { actor, product, pbi } = world;
  const names = ["PEAR", "FIG", "PLUM", "LIME", "KIWI", "DATE"];
  const stories: string[] = [];
  for (const name of names) {
    const made = await create(actor, "create_story", {
      p_pbi_id: pbi.id,
      p_title: name,
      p_code: name,
    });
    stories.push(made.id);
    for (const task of ["B", "A", "C"]) {
      await create(actor, "create_task", {
        p_story_id: made.id,
        p_title: task,
        p_code: `${name}-${task}`,
      });
    }
  }
  // One place for all of them: what is left is when they were made.
  await t.query`update public.stories set sort_order = 1 where product_id = ${product.id}`;
  await t.query`update public.tasks set sort_order = 1 where product_id = ${product.id}`;
  const tasks = names.flatMap((name) => ["B", "A", "C"].map((task) => `${name}-${task}`));
  const sprint = await create(actor, "create_sprint", {
    p_product_id: product.id,
    p_sprint_goal: "Goal",
  });
  const board = () =>
    callAs(
      actor,
      "get_sprint_board",
      { p_sprint_id: sprint.id },
      listed.extend({ candidates: z.array(code) }),
    );
  const madeOrder = [world.story.code, ...names];
  expect(codes((await board()).candidates)).toEqual(madeOrder);

  for (const storyId of stories) {
    await create(actor, "add_story_to_sprint", { p_sprint_id: sprint.id, p_story_id: storyId });
  }
  await create(actor, "start_sprint", { p_sprint_id: sprint.id });
  expect(codes((await board()).stories)).toEqual(names);
  expect(codes((await board()).tasks)).toEqual(tasks);
  const solo = await callAs(actor, "get_solo_board", { p_product_id: product.id }, listed);
  expect(codes(solo.tasks)).toEqual(tasks);

  const rows = await t.query`select id from public.tasks where code = 'FIG-A'`;
  const page = await callAs(
    actor,
    "get_task_page",
    { p_task_id: rows[0].id },
    z.looseObject({ stories: z.array(code) }),
  );
  expect(codes(page.stories)).toEqual(madeOrder);
});

it("workers online are the same number on the board, the dashboard and the stream", async () => {
  const { actor, owner, product } = await t.seedWorld(0);
  const worker = (name: string, seen: string, stopped: string | null) =>
    t.query`insert into public.agent_workers (user_id, name, last_seen_at, stopped_at)
      values (${owner.id}, ${name}, now() - ${seen}::interval, now() - ${stopped}::interval)`;
  await worker("here", "10 seconds", null);
  await worker("quiet", "150 seconds", null);
  await worker("stopped", "10 seconds", "5 seconds");
  const online = z.looseObject({ workers_online: z.number() });
  const scope = { p_product_id: product.id };
  const stream = z.looseObject({ workers: z.object({ count: z.number() }) });
  expect((await callAs(actor, "get_dashboard", {}, online)).workers_online).toBe(1);
  expect((await callAs(actor, "get_solo_board", scope, online)).workers_online).toBe(1);
  expect((await callAs(actor, "get_solo_state", scope, stream)).workers.count).toBe(1);
});
