import { expect, it } from "vitest";
import { connectClient } from "./clients";
import { connectBoth, createProduct, idOf, ok, openStage, startRun } from "./stage";

const stage = await openStage();
const { app } = stage;

// T-1 and ST-001 exist in both.
await createProduct(stage, "ONE", { strategy: "SPRINT_BATCH" });
await createProduct(stage, "TWO", { strategy: "SPRINT_BATCH" });
const { agent, worker } = await connectBoth(stage);

it("a batch is verified and reported by codes: they mean the product of its job", async () => {
  await startRun(agent, "TWO");
  const { job } = ok(await worker.call("wait_for_job", { worker: "w", product_id: "TWO" }));
  const held = { job_id: idOf(job), attempt: 1, task_id: "T-1" };
  ok(await worker.call("update_job_status", { ...held, task_id: undefined, status: "running" }));
  ok(await worker.call("update_task_execution", { ...held, status: "running" }));
  const verification = { ...held, verify_result: "aligned", product_id: "TWO" };
  expect(ok(await worker.call("verify_sprint_task", verification))).toMatchObject({
    task_code: "T-1",
    passes: true,
  });
  const asked = ok(
    await worker.call("ask_user_question", {
      ...held,
      question: "Left or right?",
    }),
  );
  expect(asked).toMatchObject({ product_code: "TWO", task_code: "T-1" });
  ok(await worker.call("update_task_execution", { ...held, status: "done" }));
});

it("a question without a job names the product of its codes", async () => {
  const wish = { story_id: "ST-001", question: "Which one?" };
  expect(await agent.call("ask_user_question", wish)).toMatchObject({
    isError: true,
    result: { code: 422, candidates: [{}, {}] },
  });
  const asked = ok(await agent.call("ask_user_question", { ...wish, product_id: "ONE" }));
  expect(asked).toMatchObject({ product_code: "ONE", story_code: "ST-001" });
});

it("cancel_job says that it is for queued jobs", async () => {
  const all = await connectClient(app, stage.token, "2026-07-28", "/mcp/all");
  const tools = await all.listTools();
  await all.close();
  const { description } = tools.find(({ name }) => name === "cancel_job") ?? {};
  expect(description).toMatch(/a queued job/);
});
