import { expect, it } from "vitest";
import { deleteStory, moveStories } from "~/nouns/stories/operations.server";
import { create } from "../../setup/backlog";
import { createTestDatabase } from "../../setup/database";
import { refusalOf } from "../refusal";
import { seedWorld } from "../world";

const t = await createTestDatabase();

it("several stories move into a sprint and out again, all of them or none", async () => {
  const { actor, product, pbi, story } = await seedWorld(t, 1);
  const named = { p_pbi_id: pbi.id, p_title: "Second" };
  const second = await create(actor, "create_story", named);
  const sprint = await create(actor, "create_sprint", {
    p_product_id: product.id,
    p_sprint_goal: "Goal",
  });
  const story_ids = [story.id, second.id];
  const places = async () => {
    const { rows } = await t.sql.query(
      "select sprint_id from public.stories where id = any ($1) order by created_at",
      [story_ids],
    );
    return rows.map(({ sprint_id }) => sprint_id);
  };
  expect(await moveStories(actor, { story_ids, sprint_id: sprint.id })).toEqual({ moved: 2 });
  expect(await places()).toEqual([sprint.id, sprint.id]);
  expect(await moveStories(actor, { story_ids, sprint_id: null })).toEqual({ moved: 2 });

  await t.sql.query("update public.sprints set status = 'CANCELLED' where id = $1", [sprint.id]);
  const refusal = await refusalOf(moveStories(actor, { story_ids, sprint_id: sprint.id }));
  expect(refusal.message).toMatch(/^ST-\d+: .*No story was moved\.$/);
  expect(await places()).toEqual([null, null]);

  const foreign = await seedWorld(t, 0);
  const mixed = { story_ids: [story.id, foreign.story.id], sprint_id: null };
  expect((await refusalOf(moveStories(actor, mixed))).status).toBe(403);
});

it("the second refusal leaves the first story where it was", async () => {
  const { actor, product, pbi, story } = await seedWorld(t, 0);
  const sprint = await create(actor, "create_sprint", {
    p_product_id: product.id,
    p_sprint_goal: "Goal",
  });
  const gone = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Gone" });
  await deleteStory(actor, { story_id: gone.id });
  const story_ids = [story.id, gone.id];
  const refusal = await refusalOf(moveStories(actor, { story_ids, sprint_id: sprint.id }));
  expect(refusal.status).toBe(404);
  const { rows } = await t.sql.query("select sprint_id from public.stories where id = $1", [
    story.id,
  ]);
  expect(rows).toEqual([{ sprint_id: null }]);
});
