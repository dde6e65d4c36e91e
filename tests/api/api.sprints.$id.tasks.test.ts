import { describe, expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer, create, seedActiveSprint } from "../setup/world";

const { t, app, owner, token, backlog } = await openBacklog();
const path = (id: string) => `/api/sprints/${id}/tasks`;
const read = (id: string, query = "") =>
  app.request(`${path(id)}${query}`, { headers: bearer(token) });

describe("GET /api/sprints/:id/tasks", () => {
  it("answers an array with exactly the listed fields", async () => {
    expect(await (await read(backlog.sprint.id)).json()).toEqual([
      {
        id: backlog.task.id,
        code: "T-1",
        title: "Write rows",
        description: "One line a row.",
        implementation_plan: "1. Quote\n2. Write",
        story_id: backlog.story.id,
        story_code: "ST-001",
        priority: 3,
        sort_order: 1,
        status: "todo",
      },
      expect.objectContaining({ code: "T-2", implementation_plan: null }),
    ]);
  });

  it("orders by the story's, then the task's sort_order; 10 by default, 50 at most", async () => {
    const actor = t.actorOf(owner);
    const product = await t.seedProduct(owner);
    const pbi = await create(actor, "create_pbi", { p_product_id: product.id, p_title: "P" });
    const story = (code: string) =>
      create(actor, "create_story", { p_pbi_id: pbi.id, p_title: code, p_code: code });
    const [second, first] = [await story("ST-20"), await story("ST-3")];
    const sprint = await seedActiveSprint(actor, product.id, [second.id, first.id]);
    await t.query`insert into tasks (product_id, story_id, code, title, priority)
      select ${product.id}, case when n % 2 = 0 then ${second.id}::uuid else ${first.id}::uuid end, 'T-' || (61 - n), 't', n from generate_series(1, 60) n`;
    const rows: { story_code: string; sort_order: number }[] = await (
      await read(sprint.id, "?limit=50")
    ).json();
    expect(rows).toHaveLength(50);
    const expected = [...rows].sort(
      (a, b) =>
        a.story_code.length - b.story_code.length ||
        a.story_code.localeCompare(b.story_code) ||
        a.sort_order - b.sort_order,
    );
    expect(rows).toEqual(expected);
    expect(rows[0]?.story_code).toBe("ST-3");
    expect(await (await read(sprint.id)).json()).toHaveLength(10);
    expect(await (await read(sprint.id, "?limit=1")).json()).toHaveLength(1);
  });

  it.each(["0", "-1", "51", "abc", "1e9", "1.5", "%2B5", "+5", "%205", "", "1".repeat(30), "NaN"])(
    "answers 422 to limit=%s",
    async (limit) => {
      await expectRefusal(await read(backlog.sprint.id, `?limit=${limit}`), 422);
    },
  );

  it("A14: takes the first of repeated keys and ignores limit[]", async () => {
    expect(await (await read(backlog.sprint.id, "?limit=1&limit=abc")).json()).toHaveLength(1);
    await expectRefusal(await read(backlog.sprint.id, "?limit=abc&limit=1"), 422);
    expect((await read(backlog.sprint.id, "?limit[]=1&__proto__=2")).status).toBe(200);
  });

  it("judges the credential before the limit, and the limit before the sprint", async () => {
    await expectRefusal(await app.request(`${path(backlog.sprint.id)}?limit=0`), 401);
    await expectRefusal(await read("00000000-0000-4000-8000-000000000000", "?limit=0"), 422);
  });
});
