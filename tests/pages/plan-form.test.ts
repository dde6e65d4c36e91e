import { expect, it } from "vitest";
import { getAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { openApp } from "../setup/app";
import { claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

it("sends a plan back from the inbox, and approves the next one as edited on the page of the job", async () => {
  const { actor, owner, start } = await t.seedSprint({ stories: [1], plan: () => undefined });
  await start({ plan_review: "person" });
  const plan = async (implementation_plan: string) => {
    const { id, attempt } = await claim(actor);
    await reportAgentJob(actor, { job_id: id, attempt, status: "running", implementation_plan });
    return id;
  };
  const { submit } = await app.visitorOf(owner);
  const job_id = await plan("1. Write it");
  const back = { verdict: "request_changes", summary: "Shorter" };
  expect(await submit("/inbox", "judge-plan", back)).toBe(`/jobs/${job_id}`);
  await plan("1. Write");
  const edited = { verdict: "approve", plan: "1. Write only that" };
  expect(await submit(`/jobs/${job_id}`, "judge-plan", edited)).toBe(`/jobs/${job_id}`);
  expect(await getAgentJob(actor, { job_id })).toMatchObject({ plan_snapshot: edited.plan });
});
