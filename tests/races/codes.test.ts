import { describe, expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { createStory, listStoryTasks } from "~/nouns/stories/operations.server";
import { createTask } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();

describe("creations at the same moment (J13)", () => {
  it("50 tasks created at once are numbered without a gap and without an error", async () => {
    const { actor, story } = await t.seedWorld(0);
    const tasks = await Promise.all(
      Array.from({ length: 50 }, () => createTask(actor, { story_id: story.id, title: "x" })),
    );
    const numbers = tasks.map(({ sort_order }) => sort_order).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  it("The numbers of deleted tasks are never given again", async () => {
    const { actor, story } = await t.seedWorld(3);
    await t.query`delete from public.tasks where story_id = ${story.id}`;
    const codes = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { code } = await createTask(actor, { story_id: story.id, title: "x" });
        return code;
      }),
    );
    expect(codes.sort()).toEqual(["T-4", "T-5", "T-6", "T-7", "T-8"]);
  });

  it("A supplied code in the way of the counter never makes a generated one fail", async () => {
    const { actor, story } = await t.seedWorld(0);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) =>
        n % 3 === 0
          ? createTask(actor, { story_id: story.id, title: "supplied", code: `T-${n + 1}` })
          : createTask(actor, { story_id: story.id, title: "generated" }),
      ),
    );
    const failed = outcomes.flatMap((outcome, n) => (outcome.status === "rejected" ? [n] : []));
    expect(failed.filter((n) => n % 3 !== 0)).toEqual([]);
    for (const n of failed) expect(outcomes[n]).toMatchObject({ reason: { status: 422 } });
    const tasks = await listStoryTasks(actor, { story_id: story.id });
    expect(new Set(tasks.map(({ code }) => code)).size).toBe(60 - failed.length);
  });

  it("Codes of stories created at once continue from 999 to 1000 without losing a digit", async () => {
    const { actor, pbi, product } = await t.seedWorld(0);
    await t.query`update public.code_counters set last_number = 980 where scope_id = ${product.id} and kind = 'story'`;
    const stories = await Promise.all(
      Array.from({ length: 40 }, () => createStory(actor, { pbi_id: pbi.id, title: "x" })),
    );
    const codes = stories.map(({ code }) => code).sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)));
    expect(codes).toEqual(Array.from({ length: 40 }, (_, n) => `ST-${981 + n}`));
  });

  it("50 ideas that one user creates at once get 50 distinct codes", async () => {
    const { actor, product } = await t.seedWorld(0);
    const ideas = await Promise.all(
      Array.from({ length: 50 }, () => createIdea(actor, { product_id: product.id, title: "x" })),
    );
    expect(new Set(ideas.map(({ code }) => code)).size).toBe(50);
  });
});
