import { expect, it } from "vitest";
import { connectBoth, createProduct, ok, openStage } from "./stage";

const stage = await openStage();

it("an agent changes only the version of a task and an idea that it has read", async () => {
  await createProduct(stage, "VER", { strategy: "STORY" });
  const { agent } = await connectBoth(stage);
  const version = Number(ok(await agent.call("get_task", { task_id: "T-1" })).version);
  const plan = { task_id: "T-1", expected_version: version };
  ok(await agent.call("update_task_plan", { ...plan, implementation_plan: "First" }));
  expect(
    await agent.call("update_task_plan", { ...plan, implementation_plan: "Second" }),
  ).toMatchObject({
    isError: true,
    result: {
      code: 412,
      current: { implementation_plan: "First", version: version + 1 },
      changed_fields: ["implementation_plan"],
      changed_by: "ada",
    },
  });
  ok(
    await agent.call("update_task_status", {
      ...plan,
      expected_version: version + 1,
      status: "done",
    }),
  );
  const stale = { ...plan, expected_version: version + 1, status: "todo" };
  expect(await agent.call("update_task_status", stale)).toMatchObject({ result: { code: 412 } });

  const idea = ok(await agent.call("create_idea", { product_id: "VER", title: "An idea" }));
  const change = { idea_id: idea.id, expected_version: idea.version };
  ok(await agent.call("update_idea", { ...change, title: "A better idea" }));
  expect(await agent.call("update_idea", { ...change, title: "Another" })).toMatchObject({
    result: { code: 412, current: { title: "A better idea" } },
  });
});
