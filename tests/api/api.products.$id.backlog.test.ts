import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { bearer, create } from "../setup/world";

const { t, app, owner, token, backlog } = await openBacklog();
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

const path = (id: string) => `/api/products/${id}/backlog`;
const read = async (id: string) => (await app.request(path(id), { headers: bearer(token) })).json();

describe("GET /api/products/:id/backlog", () => {
  it("answers PBIs, stories by PBI and tasks by story, statuses in lower case", async () => {
    expect(await read(backlog.product.id)).toEqual({
      product: expect.objectContaining({ id: backlog.product.id, name: "Ledger" }),
      pbis: [
        {
          id: backlog.pbi.id,
          product_id: backlog.product.id,
          code: "PBI-1",
          title: "Exports",
          description: "",
          priority: 3,
          sort_order: expect.any(Number),
          status: "ready",
          pr_url: null,
          pr_merged_at: null,
          created_at: timestamp,
          version: expect.any(Number),
        },
      ],
      storiesByPbi: {
        [backlog.pbi.id]: [
          {
            id: backlog.story.id,
            product_id: backlog.product.id,
            pbi_id: backlog.pbi.id,
            code: "ST-001",
            title: "Export as CSV",
            description: "People want their rows.",
            acceptance_criteria: "- [ ] Opens in a spreadsheet",
            priority: 3,
            status: "in_sprint",
            sort_order: 1,
            sprint_id: backlog.sprint.id,
            assignee_id: null,
            created_at: timestamp,
            version: expect.any(Number),
          },
        ],
      },
      tasksByStory: {
        [backlog.story.id]: [
          {
            id: backlog.task.id,
            story_id: backlog.story.id,
            product_id: backlog.product.id,
            code: "T-1",
            title: "Write rows",
            description: "One line a row.",
            priority: 3,
            sort_order: 1,
            status: "todo",
            repo_url: null,
            verify_only: false,
            verify_required: "ALIGNED_OR_PARTIAL",
            created_at: timestamp,
            version: expect.any(Number),
          },
          expect.objectContaining({ id: backlog.secondTask.id, code: "T-2" }),
        ],
      },
    });
  });

  it("has an empty array for a PBI without stories, and empty maps for an empty product", async () => {
    const product = await t.seedProduct(owner);
    expect(await read(product.id)).toMatchObject({ pbis: [], storiesByPbi: {}, tasksByStory: {} });
    const pbi = await create(t.actorOf(owner), "create_pbi", {
      p_product_id: product.id,
      p_title: "Later",
    });
    expect(await read(product.id)).toMatchObject({ storiesByPbi: { [pbi.id]: [] } });
  });

  it("goes out compressed to those who accept it", async () => {
    await t.query`update stories set description = ${"A long text. ".repeat(2_000)}
      where id = ${backlog.story.id}`;
    const plain = await app.request(path(backlog.product.id), {
      headers: { ...bearer(token), "accept-encoding": "identity" },
    });
    const packed = await app.request(path(backlog.product.id), {
      headers: { ...bearer(token), "accept-encoding": "gzip" },
    });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("vary")).toBe("Accept-Encoding");
    expect(await packed.text()).toBe(await plain.text());
  });

  it("leaves tasks of triage out like their stories", async () => {
    const product = await t.seedProduct(owner, { p_agent_items: "triage" });
    const agent = {
      database: t.database,
      credential: { token_hash: createHash("sha256").update(token).digest("hex") },
    };
    const pbi = await create(agent, "create_pbi", { p_product_id: product.id, p_title: "PBI" });
    const story = await create(agent, "create_story", { p_pbi_id: pbi.id, p_title: "Later" });
    await create(agent, "create_task", { p_story_id: story.id, p_title: "Not yet" });
    const { storiesByPbi, tasksByStory } = await read(product.id);
    expect({ storiesByPbi, tasksByStory }).toEqual({
      ...{ storiesByPbi: { [pbi.id]: [] }, tasksByStory: {} },
    });
  });
});
