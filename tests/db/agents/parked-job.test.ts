import { expect, it } from "vitest";
import { heartbeatAgentJob, reportAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import {
  answerQuestion,
  askQuestion,
  cancelQuestion,
  getNotificationsState,
} from "~/nouns/questions/operations.server";
import { sweep } from "~/nouns/schedules/operations.server";
import { resumeSprintRun } from "~/nouns/sprint-runs/operations.server";
import type { AskQuestionInput } from "~/wire/questions/contract";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

async function parkedJob(rest: Partial<AskQuestionInput> = {}) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  const run = await world.start();
  const job = await claim(world.actor);
  const question = await askQuestion(world.actor, {
    task_id: at(world.tasks, 0).id,
    question: "Which way?",
    options: ["Left", "Right"],
    park: true,
    job_id: job.id,
    attempt: 1,
    ...rest,
  });
  return { world, run, job, question };
}

it("A parked job frees its worker and waits in the queue while its question is open", async () => {
  const { world, job, question } = await parkedJob();
  expect(question).toMatchObject({ park: true, job_id: job.id });
  expect(await t.columnOf("agent_jobs", job.id, "status")).toBe("QUEUED");
  expect(await t.columnOf("agent_jobs", job.id, "retry_count")).toBe(0);
  const beat = await heartbeatAgentJob(world.actor, { job_id: job.id, attempt: 1 });
  expect(beat).toMatchObject({ action: "stop", reason: { code: "parked" } });
  expect(await statusOf(reportAgentJob(world.actor, { job_id: job.id, attempt: 1, status: "failed" }))).toBe(409);
  const other = await claim(world.actor);
  expect(other.task?.id).toBe(at(world.tasks, 1).id);
  expect(await claimRefusal(world.actor)).toBe("question");
  const why = await whyNotMoving(world.actor, { kind: "job", id: job.id });
  expect(why.reasons.map(({ code }) => code)).toContain("question");
  expect(why.text).toContain("Which way?");
});

it("A parked job returns first once its question is answered, with the answer in its payload", async () => {
  const { world, job, question } = await parkedJob();
  await answerQuestion(world.actor, { question_id: question.id, option: 1 });
  const again = await claim(world.actor, "worker-2");
  expect(again).toMatchObject({ id: job.id, attempt: 2, retry_count: 0 });
  expect(again.questions).toMatchObject([
    { id: question.id, status: "answered", answer: "Right", effective_answer: "Right" },
  ]);
});

it("A parked job continues without an answer when its question is cancelled", async () => {
  const { world, job, question } = await parkedJob();
  await cancelQuestion(world.actor, { question_id: question.id });
  expect(await claim(world.actor)).toMatchObject({ id: job.id, questions: [{ status: "cancelled" }] });
});

it("A job can be parked only by the attempt that holds it", async () => {
  const { world, job } = await parkedJob();
  const again = { task_id: at(world.tasks, 0).id, question: "Again?", park: true, job_id: job.id, attempt: 1 };
  expect(await statusOf(askQuestion(world.actor, again))).toBe(409);
});

it("A parked job whose question expires pauses its run for a person, and no answer is assumed", async () => {
  const { world, run, question, job } = await parkedJob();
  await claim(world.actor);
  await t.expireQuestion(question.id);
  expect(await claimRefusal(world.actor)).toBe("question");
  await sweep(t.database);
  expect(await t.columnOf("agent_questions", question.id, "status")).toBe("EXPIRED");
  expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("PAUSED");
  expect(await t.columnOf("sprint_runs", run.id, "pause_context")).toMatchObject({ reason: "question_expired" });
  await resumeSprintRun(world.actor, { sprint_run_id: run.id });
  expect(await claim(world.actor)).toMatchObject({
    id: job.id,
    questions: [{ status: "expired", effective_answer: null, taken_by_policy: false }, { status: "cancelled" }],
  });
});

it("An expired question may take its recommended option, marked as taken by policy", async () => {
  const { world, question, job } = await parkedJob({ on_expiry: "RECOMMENDED", recommended_option: 0 });
  await t.expireQuestion(question.id);
  const again = await claim(world.actor);
  expect(again).toMatchObject({
    id: job.id,
    questions: [{ status: "expired", answer: null, effective_answer: "Left", taken_by_policy: true }],
  });
});

it("An expired question may be asked again of another member, while its job still waits", async () => {
  const { world, job, attempt, task } = await t.holdJob();
  const boss = await t.newMember(world.product.id);
  const asked = { ...attempt, task_id: task.id, question: "May I?", park: true } as const;
  const question = await askQuestion(world.actor, { ...asked, on_expiry: "ESCALATE", escalate_to: boss.user.id });
  await t.expireQuestion(question.id);
  await sweep(t.database);
  const { questions } = await getNotificationsState(boss.actor);
  expect(questions).toMatchObject([
    { question: "May I?", assignee_id: boss.user.id, on_expiry: "STOP", job_id: job.id },
  ]);
  expect(await claimRefusal(world.actor)).toBe("question");
  await answerQuestion(boss.actor, { question_id: at(questions, 0).id, answer: "You may" });
  const again = await claim(world.actor);
  expect(again.questions.map((q) => q.effective_answer)).toEqual([null, "You may"]);
});
