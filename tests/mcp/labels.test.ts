import { expect, it } from "vitest";
import { connectBoth, createProduct, ok, openStage } from "./stage";

const stage = await openStage();

it("an agent makes labels and gives them to new and known stories and tasks by name", async () => {
  await createProduct(stage, "ONE", { strategy: "STORY" });
  const { agent } = await connectBoth(stage);
  const bug = ok(await agent.call("create_label", { product_id: "ONE", name: "bug" }));
  expect(ok(await agent.call("list_labels", { product_id: "ONE" }))).toEqual({ labels: [bug] });
  const story = await agent.call("create_story", {
    pbi_id: "PBI-1",
    title: "New",
    labels: ["Bug"],
  });
  expect(ok(story)).toMatchObject({ labels: [bug] });
  const task = { story_id: "ST-001", title: "Mend", labels: ["bug"] };
  expect(ok(await agent.call("create_task", task))).toMatchObject({ labels: [bug] });
  expect(ok(await agent.call("set_labels", { task_id: "T-1", labels: ["bug"] }))).toMatchObject({
    labels: [bug],
  });
  expect(ok(await agent.call("get_task", { task_id: "T-1" }))).toMatchObject({ labels: [bug] });
  ok(await agent.call("set_labels", { task_id: "T-1", labels: [] }));
  expect(ok(await agent.call("get_task", { task_id: "T-1" }))).not.toHaveProperty("labels");
  expect(await agent.call("set_labels", { labels: [] })).toMatchObject({ isError: true });
  expect(await agent.call("create_task", { ...task, labels: ["bgu"] })).toMatchObject({
    isError: true,
    result: { code: 422, error: expect.stringContaining('"bgu"') },
  });
});
