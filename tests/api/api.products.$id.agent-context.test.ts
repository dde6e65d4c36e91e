import { describe, expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { bearer, create, seedActiveSprint } from "../setup/world";

const { t, app, owner, token, backlog } = await openBacklog();

const path = (id: string) => `/api/products/${id}/agent-context`;
const read = async (id: string) => (await app.request(path(id), { headers: bearer(token) })).json();

describe("GET /api/products/:id/agent-context", () => {
  it("answers product, active sprint, next story with tasks, and open ideas", async () => {
    const idea = await create(t.actorOf(owner), "create_idea", {
      p_product_id: backlog.product.id,
      p_title: "Charts",
      p_description: "Bars",
    });
    expect(await read(backlog.product.id)).toEqual({
      product: {
        id: backlog.product.id,
        code: backlog.product.code,
        name: "Ledger",
        description: "Keeps accounts.",
        repo_url: "https://example.com/ledger",
        definition_of_done: "Reviewed and released",
      },
      active_sprint: { id: backlog.sprint.id, sprint_goal: "Exports work", status: "ACTIVE" },
      next_story: {
        id: backlog.story.id,
        code: "ST-001",
        title: "Export as CSV",
        description: "People want their rows.",
        acceptance_criteria: "- [ ] Opens in a spreadsheet",
        priority: 3,
        status: "in_sprint",
        tasks: [
          {
            id: backlog.task.id,
            code: "T-1",
            title: "Write rows",
            description: "One line a row.",
            implementation_plan: "1. Quote\n2. Write",
            priority: 3,
            sort_order: 1,
            status: "todo",
          },
          {
            id: backlog.secondTask.id,
            code: "T-2",
            title: "Add the button",
            description: "",
            implementation_plan: null,
            priority: 3,
            sort_order: 2,
            status: "todo",
          },
        ],
      },
      open_ideas: [
        {
          id: idea.id,
          code: "IDEA-001",
          title: "Charts",
          description: "Bars",
          status: "draft",
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
      ],
    });
  });

  it("answers null without an active sprint and without an open story", async () => {
    const empty = await t.seedProduct(owner);
    expect(await read(empty.id)).toMatchObject({
      active_sprint: null,
      next_story: null,
      open_ideas: [],
    });
    const sprint = await seedActiveSprint(t.actorOf(owner), empty.id, []);
    expect(await read(empty.id)).toMatchObject({
      active_sprint: { id: sprint.id },
      next_story: null,
    });
  });

  it("keeps to the caller's open ideas of this product: 50 at most, the oldest first", async () => {
    const product = await t.seedProduct(owner);
    const other = await t.createUser();
    await t.query`insert into ideas (user_id, product_id, code, title, status, created_at)
      select ${owner.id}, ${product.id}, 'IDEA-' || (500 + n), 'idea ' || n, 'DRAFT', now() - make_interval(mins => n)
        from generate_series(1, 60) n`;
    await t.query`update ideas set archived_at = now() where product_id = ${product.id}
      and code in ('IDEA-560', 'IDEA-559')`;
    await t.query`insert into ideas (user_id, product_id, code, title)
      values (${other.id}, ${product.id}, 'IDEA-501', 'not mine')`;
    const { open_ideas: ideas } = await read(product.id);
    expect(ideas).toHaveLength(50);
    expect(ideas[0].title).toBe("idea 58");
    expect(ideas.at(-1).title).toBe("idea 9");
  });

  it("takes exactly one round trip to the database", async () => {
    const calls: string[] = [];
    const { callAs } = t.database;
    t.database.callAs = (credential, operation, values) => {
      calls.push(operation);
      return callAs(credential, operation, values);
    };
    await read(backlog.product.id);
    t.database.callAs = callAs;
    expect(calls).toEqual(["get_agent_context"]);
  });
});
