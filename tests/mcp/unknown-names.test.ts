import { describe, expect, it } from "vitest";
import { connectBoth, createProduct, idOf, ok, openStage, startRun } from "./stage";

const stage = await openStage();

async function hold(code: string) {
  await createProduct(stage, code);
  const { agent, worker } = await connectBoth(stage);
  await startRun(agent, code);
  const { job } = ok(await worker.call("wait_for_job", { worker: "one", product_id: code }));
  const held = { job_id: idOf(job), attempt: 1 };
  return (name: string, values: object) => worker.call(name, { ...held, ...values });
}

const refusal = (path: string, name: string) => ({
  isError: true,
  result: {
    code: 422,
    issues: [{ path, message: `has unknown fields: ${name}` }],
  },
});

describe("a name that nothing is counted under", () => {
  it("is refused and named, and its seq is still to be had", async () => {
    const call = await hold("LEDGER");
    const report = (event: object) => call("report_job_usage", { events: [{ seq: 1, ...event }] });
    expect(await report({ inputTokens: 300 })).toMatchObject(refusal("events.0", "inputTokens"));
    expect(await call("report_job_usage", { output: 7 })).toMatchObject(refusal("", "output"));
    expect(ok(await report({ input_tokens: 300 }))).toMatchObject({ input_tokens: 300 });
  });

  it("is refused in what a heartbeat and a report tell too", async () => {
    const call = await hold("TOLD");
    const beat = (usage: object) => call("job_heartbeat", { usage });
    expect(await beat({ models: [], since: 1 })).toMatchObject(refusal("usage", "since"));
    const model = { model_id: "m", tokens: 3 };
    expect(await beat({ models: [model] })).toMatchObject(refusal("usage.models.0", "tokens"));
    const evidence = [{ criterion: "0".repeat(12), passed: true }];
    const report = await call("update_job_status", { status: "running", evidence });
    expect(report).toMatchObject(refusal("evidence.0", "passed"));
  });
});
