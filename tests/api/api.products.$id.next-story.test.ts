import { describe, expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer, create, seedActiveSprint } from "../setup/world";

const { t, app, owner, actor, token, backlog } = await openBacklog();

const path = (id: string) => `/api/products/${id}/next-story`;
const read = (id: string) => app.request(path(id), { headers: bearer(token) });

describe("GET /api/products/:id/next-story", () => {
  it("returns the story with exactly the listed fields, without priority", async () => {
    const story = await (await read(backlog.product.id)).json();
    expect(story).toEqual({
      id: backlog.story.id,
      code: "ST-001",
      title: "Export as CSV",
      description: "People want their rows.",
      acceptance_criteria: "- [ ] Opens in a spreadsheet",
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
        expect.objectContaining({ code: "T-2", implementation_plan: null, sort_order: 2 }),
      ],
    });
  });

  it("takes the lowest sort_order, then the oldest, and passes over finished stories", async () => {
    const product = await t.seedProduct(owner);
    const pbi = await create(actor, "create_pbi", { p_product_id: product.id, p_title: "P" });
    const add = (code: string, priority: number) =>
      create(actor, "create_story", {
        p_pbi_id: pbi.id,
        p_title: code,
        p_code: code,
        p_priority: priority,
      });
    const late = await add("ST-9", 1);
    const first = await add("ST-2", 5);
    const twin = await add("X-2", 1);
    await seedActiveSprint(actor, product.id, [late.id, twin.id, first.id]);
    expect(await (await read(product.id)).json()).toMatchObject({ code: "ST-2" });

    for (const { id } of [first, twin]) {
      const task = await create(actor, "create_task", { p_story_id: id, p_title: "t" });
      await t.query`update tasks set status = 'DONE' where id = ${task.id}`;
    }
    expect(await (await read(product.id)).json()).toMatchObject({ code: "ST-9" });
  });

  it("answers 404 without an active sprint and without an open story", async () => {
    const product = await t.seedProduct(owner);
    const noSprint = await expectRefusal(await read(product.id), 404);
    await seedActiveSprint(actor, product.id, []);
    const noStory = await expectRefusal(await read(product.id), 404);
    expect(noStory).not.toBe(noSprint);
  });
});
