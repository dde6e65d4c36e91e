import { describe, expect, it } from "vitest";
import {
  archiveIdea,
  createIdea,
  linkIdeaProduct,
  promoteIdea,
} from "~/nouns/ideas/operations.server";
import { createProduct, getAgentContext } from "~/nouns/products/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";

const t = await createTestDatabase();

describe("get_agent_context", () => {
  it("has exactly the fields of the contract", async () => {
    const { actor, product, sprint, stories, tasks } = await t.seedSprint({ stories: [1] });
    const product_id = product.id;
    const idea = await createIdea(actor, { product_id, title: "Idea", description: "d" });
    const task = at(tasks, 0);
    expect(JSON.parse(await getAgentContext.json(actor, { product_id }))).toEqual({
      product: {
        id: product.id,
        code: product.code,
        name: "Ledger",
        description: "Keeps accounts.",
        repo_url: "https://example.com/ledger",
        definition_of_done: "Reviewed and released",
      },
      active_sprint: { id: sprint.id, sprint_goal: "Goal", status: "ACTIVE" },
      next_story: {
        id: at(stories, 0).id,
        code: "ST-001",
        title: "Story 1",
        description: "",
        acceptance_criteria: "- [ ] Works",
        priority: 3,
        status: "in_sprint",
        tasks: [
          {
            id: task.id,
            code: "T-1",
            title: "Task 1.1",
            description: "",
            implementation_plan: "Change src/part-1-1.ts",
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
    const member = await t.createMember(product_id);
    await createIdea(t.actorOf(member), { product_id, title: "of another user" });
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
    const demo = await t.createMember(product.id, { demo: true });
    expect((await getAgentContext(t.actorOf(demo), { product_id: product.id })).product.code).toBe(
      "WORLD",
    );
  });
});
