import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { connectClient } from "./clients";

async function openWorld(transport: "session" | "http") {
  const t = await createTestDatabase({ transport });
  const app = await startTestApp(t);
  const owner = await t.createUser();
  const agent = await connectClient(app, await t.createToken(owner), "2026-07-28", "/mcp/all");
  return { transport, t, owner, agent, ...(await t.seedBacklog(owner)) };
}

const worlds = [await openWorld("session"), await openWorld("http")] as const;

describe.each(worlds)("tools that create, over $transport", ({ t, agent, story, product }) => {
  const tasksNamed = async (title: string): Promise<number> => {
    const rows = await t.query`select from tasks where title = ${title}`;
    return rows.length;
  };

  it("Ten calls at once with one key create one task, and all are answered alike", async () => {
    const call = { story_id: story.code, product_id: product.code, title: "Once", idempotency_key: randomUUID() };
    const untilAnswered = async (): Promise<string> => {
      const { isError, result, text } = await agent.call("create_task", call);
      if (isError && result.code === 409 && result.retry_after === 1) return untilAnswered();
      expect(result).toMatchObject({ code: expect.stringMatching(/^T-/) });
      return text;
    };
    const answers = await Promise.all(Array.from({ length: 10 }, untilAnswered));
    expect(new Set(answers).size).toBe(1);
    expect(await tasksNamed("Once")).toBe(1);
  });

  it("A key is refused for another call, and so is an empty key", async () => {
    const idempotency_key = randomUUID();
    const idea = { product_id: product.id, title: "An idea", idempotency_key };
    expect((await agent.call("create_idea", idea)).isError).toBe(false);
    const other = await agent.call("create_idea", { ...idea, title: "Another idea" });
    expect(other.result).toMatchObject({ code: 422, issues: [{ path: "idempotency_key" }] });
    const none = await agent.call("create_idea", { ...idea, idempotency_key: "" });
    expect(none.result).toMatchObject({ code: 422, issues: [{ path: "idempotency_key" }] });
  });

  it("Tools that create say that they take a key, and those that only change something do not", async () => {
    const keyed = (await agent.listTools())
      .filter(({ inputSchema }) => JSON.stringify(inputSchema).includes('"idempotency_key"'))
      .map(({ name }) => name);
    expect(keyed.sort()).toEqual(
      `add_comment answer_user_question ask_user_question create_idea create_label create_pbi create_product create_sprint create_story
       create_task log_commit log_implementation log_test_result promote_idea start_run start_sprint_run`.split(/\s+/),
    );
  });
});

describe("a title that an open sibling has", () => {
  const { t, owner, agent, pbi, story, product } = worlds[0];
  const kinds = [
    ["create_pbi", { product_id: product.id }],
    ["create_story", { pbi_id: pbi.id }],
    ["create_task", { story_id: story.id }],
    ["create_idea", { product_id: product.id }],
  ] as const;

  it.each(kinds)("%s refuses an open sibling's title with its code, unless one insists", async (tool, parent) => {
    const first = await agent.call(tool, { ...parent, title: "Sort the  Rows" });
    const twin = { ...parent, title: " sort the rows. " };
    const refused = await agent.call(tool, twin);
    expect(refused.result).toMatchObject({
      code: 409,
      similar_exists: { id: first.result.id, code: first.result.code, title: "Sort the  Rows" },
      error: expect.stringContaining(String(first.result.code)),
    });
    const insisted = await agent.call(tool, { ...twin, allow_duplicate: true });
    expect(insisted.isError).toBe(false);
    const named = await agent.call(tool, { ...twin, code: "ROWS-2" });
    expect(named.isError).toBe(tool === "create_idea");
    expect((await agent.call(tool, { ...parent, title: "Sort the columns" })).isError).toBe(false);
  });

  it("A title is free again once its task is done, and in another story from the beginning", async () => {
    const title = "Free again";
    const task = await agent.call("create_task", { story_id: story.id, title });
    const next = await agent.call("create_story", { pbi_id: pbi.id, title: "Next door" });
    const elsewhere = await agent.call("create_task", { story_id: next.result.id, title });
    expect(elsewhere.isError).toBe(false);
    await agent.call("update_task_status", { task_id: task.result.id, status: "done" });
    expect((await agent.call("create_task", { story_id: story.id, title })).isError).toBe(false);
  });

  it("Several calls at once with the same title create one task", async () => {
    const call = { story_id: story.id, title: "Two at once" };
    const answers = await Promise.all([1, 2, 3, 4].map(() => agent.call("create_task", call)));
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
  });

  it("A person can create a task with the title of an open sibling", async () => {
    const rows = await t.query`select from tasks where title = 'Two at once'`;
    expect(rows).toHaveLength(1);
    await t.database.callAs({ user_id: owner.id }, "create_task", { p_story_id: story.id, p_title: "Two at once" });
  });
});
