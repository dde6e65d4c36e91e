import { describe, expect, it } from "vitest";
import {
  archiveIdea,
  createIdea,
  linkIdeaProduct,
  promoteIdea,
} from "~/nouns/ideas/operations.server";
import { createProduct, getAgentContext } from "~/nouns/products/operations.server";
import { createSprint, startSprint } from "~/nouns/sprints/operations.server";
import { addStoryToSprint } from "~/nouns/stories/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";

const t = await createTestDatabase();
const _unknownId = "00000000-0000-4000-8000-000000000000";

async function seedSprint(taskCount = 2) {
  const world = await t.seedWorld(taskCount);
  const sprint = await createSprint(world.actor, {
    product_id: world.product.id,
    sprint_goal: "Goal",
  });
  await addStoryToSprint(world.actor, { sprint_id: sprint.id, story_id: world.story.id });
  await startSprint(world.actor, { sprint_id: sprint.id });
  return { ...world, sprint, product_id: world.product.id };
}

describe("get_agent_context", () => {
  it("has exactly the fields of the contract", async () => {
    const { actor, product, product_id, sprint, story, tasks } = await seedSprint(1);
    const idea = await createIdea(actor, { product_id, title: "Idea", description: "d" });
    const task = at(tasks, 0);
    expect(JSON.parse(await getAgentContext.json(actor, { product_id }))).toEqual({
      product: {
        id: product.id,
        code: "WORLD",
        name: "World",
        description: "",
        repo_url: "",
        definition_of_done: "",
      },
      active_sprint: { id: sprint.id, sprint_goal: "Goal", status: "ACTIVE" },
      next_story: {
        id: story.id,
        code: "ST-001",
        title: "Story",
        description: "",
        acceptance_criteria: "",
        priority: 3,
        status: "in_sprint",
        tasks: [
          {
            id: task.id,
            code: "T-1",
            title: "Task 1",
            description: "",
            implementation_plan: null,
            priority: 3,
            sort_order: 1,
            status: "todo",
          },
        ],
      },
      open_ideas: [
        {
          id: idea.id,
          code: "IDEA-001",
          title: "Idea",
          description: "d",
          status: "draft",
          created_at: idea.created_at,
        },
      ],
    });
  });

  it("has null for sprint and story when there is none", async () => {
    const { actor, product } = await t.seedWorld(0);
    const context = await getAgentContext(actor, { product_id: product.id });
    expect([context.active_sprint, context.next_story, context.open_ideas]).toEqual([
      null,
      null,
      [],
    ]);
  });

  it("shows only the caller's open ideas, further products included, the 50 oldest", async () => {
    const { actor, owner, product, pbi } = await t.seedWorld(0);
    const product_id = product.id;
    const second = await createProduct(actor, { code: "SECOND", name: "Second" });
    const archived = await createIdea(actor, { product_id, title: "archived" });
    await archiveIdea(actor, { idea_id: archived.id });
    const planned = await createIdea(actor, { product_id, title: "planned" });
    await promoteIdea(actor, { idea_id: planned.id });
    const linked = await createIdea(actor, { product_id: second.id, title: "linked" });
    await linkIdeaProduct(actor, { idea_id: linked.id, product_id });
    await createIdea(actor, { product_id: second.id, title: "of another product" });
    const stranger = await t.createUser();
    await t.query`insert into public.product_members (product_id, user_id)
      values (${product_id}, ${stranger.id})`;
    await createIdea(t.actorOf(stranger), { product_id, title: "of another user" });
    await t.query`insert into public.ideas (user_id, product_id, title, created_at)
      select ${owner.id}, ${product_id}, 'n ' || n, clock_timestamp() + make_interval(secs => n) from generate_series(1, 60) n`;
    const { open_ideas } = await getAgentContext(actor, { product_id });
    expect(open_ideas.map(({ title }) => title)).toEqual([
      "linked",
      ...Array.from({ length: 49 }, (_, n) => `n ${n + 1}`),
    ]);
    expect(pbi.code).toBe("PBI-1");
  });

  it("may be called by a demo account that is a member", async () => {
    const { product } = await t.seedWorld(0);
    const demo = await t.createUser({ demo: true });
    await t.query`insert into public.product_members (product_id, user_id)
      values (${product.id}, ${demo.id})`;
    expect((await getAgentContext(t.actorOf(demo), { product_id: product.id })).product.code).toBe(
      "WORLD",
    );
  });
});
