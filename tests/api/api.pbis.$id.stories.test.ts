import { describe, expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { create } from "../setup/world";

const { t, app, owner, backlog } = await openBacklog();
const path = (id: string) => `/api/pbis/${id}/stories`;

describe("GET /api/pbis/:id/stories", () => {
  it("returns the stories by sort_order, regardless of their priority", async () => {
    const add = (code: string, priority: number) =>
      create(t.actorOf(owner), "create_story", {
        p_pbi_id: backlog.pbi.id,
        p_title: code,
        p_code: code,
        p_priority: priority,
      });
    await add("LAST", 1);
    await add("ST-1000", 1);
    await add("ST-20", 9);
    const headers = await t.bearerOf(owner);
    const stories: { code: string; status: string; sort_order: number }[] = await (
      await app.request(path(backlog.pbi.id), { headers })
    ).json();
    expect(stories.map(({ code }) => code)).toEqual(["ST-001", "ST-20", "ST-1000", "LAST"]);
    expect(stories.map(({ sort_order }) => sort_order)).toEqual([1, 20, 1000, 9007199254740991]);
    expect(stories.map(({ status }) => status)).toEqual(["in_sprint", "open", "open", "open"]);
  });
});
