import { expect, it } from "vitest";
import { connectBoth, createProduct, ok, openStage } from "./stage";

const stage = await openStage();

it("an agent says who does a task, a story or a product, each field alone, and removes it", async () => {
  await createProduct(stage, "ONE", { strategy: "STORY" });
  const { agent } = await connectBoth(stage);
  const set = async (input: object) => ok(await agent.call("set_agent", { ...input }));
  const task = async () => ok(await agent.call("get_task", { task_id: "T-1" }));
  await set({ task_id: "T-1", agent: "codex", effort: "high" });
  expect(await task()).toMatchObject({ agent: "codex", model: null, effort: "high" });
  await set({ task_id: "T-1", agent: null });
  expect(await task()).toMatchObject({ agent: null, effort: "high" });
  expect(await set({ story_id: "ST-001", model: "opus" })).toMatchObject({ model: "opus" });
  expect(await set({ product_id: "ONE", agent: "claude" })).toMatchObject({ agent: "claude" });
});

it.each([
  [{ agent: "codex" }, "Give task_id, story_id or product_id."],
  [{ task_id: "T-1", story_id: "ST-001", agent: "codex" }, "Give either task_id or story_id."],
  [{ task_id: "T-1" }, "Give agent, model or effort."],
])("refuses %j with what to give", async (input, words) => {
  const { agent } = await connectBoth(stage);
  expect(await agent.call("set_agent", input)).toMatchObject({
    isError: true,
    result: { code: 422, issues: [{ message: words }] },
  });
});
