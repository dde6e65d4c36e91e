import { expect, it } from "vitest";
import { heartbeatAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import {
  addComment,
  deleteComment,
  listComments,
  listJobMessages,
  messageJob,
} from "~/nouns/comments/operations.server";
import { cancelSprintRun } from "~/nouns/sprint-runs/operations.server";
import { deleteTask } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim, type SprintOptions } from "../../setup/world";
import { refusalOf } from "../refusal";
import { later, minutes, serviceAt } from "./fixed-clock";

const t = await createTestDatabase();

/** A job that a worker holds, and someone who writes to its agent. */
async function scene(options?: SprintOptions) {
  const held = await t.holdJob(options);
  const { actor } = held.world;
  const place = { kind: "task", id: held.task.id } as const;
  const say = (body = "Use tabs.") => addComment(actor, { ...place, body, send_to_agent: true });
  const beat = (seen_messages?: string[]) => heartbeatAgentJob(actor, { ...held.attempt, seen_messages });
  return {
    ...held,
    actor,
    place,
    say,
    beat,
    states: async () => (await listJobMessages(actor, { job_id: held.job.id })).messages,
    lose: async () => {
      await serviceAt(t, later(new Date(), minutes(6)), "sweep()");
      return claim(actor, "worker-2");
    },
  };
}

it("A comment sent to the agent waits for it and comes with the answer to its heartbeat", async () => {
  const { say, beat, job, world } = await scene();
  expect(await beat()).not.toHaveProperty("messages");
  expect(await say()).toMatchObject({
    state: "sent",
    deliveries: [{ job_id: job.id, state: "sent", reason: null, attempt: null }],
  });
  expect(await beat()).toMatchObject({
    action: "continue",
    messages: [{ id: expect.any(String), about: "T-1", author: world.owner.username, text: "Use tabs." }],
  });
});

it("A message is seen by an agent that confirms nothing, and repeated once in case an answer is lost", async () => {
  const { say, beat, states } = await scene();
  await say();
  const first = (await beat()).messages;
  expect(await states()).toMatchObject([{ state: "seen", attempt: 1 }]);
  expect((await beat()).messages).toEqual(first);
  expect(await beat()).not.toHaveProperty("messages");
});

it("A message comes again until a worker that confirms says that its agent has seen it", async () => {
  const { say, beat, report, states } = await scene();
  await say();
  const [message] = (await beat([])).messages ?? [];
  expect((await beat([])).messages).toEqual([message]);
  expect(await states()).toMatchObject([{ state: "sent" }]);
  const seen = [message?.id ?? ""];
  expect(await beat(seen)).not.toHaveProperty("messages");
  await beat(seen);
  expect(await states()).toMatchObject([{ state: "seen", attempt: 1 }]);
  await report({ status: "done", verify_result: "ALIGNED" });
  expect(await states()).toMatchObject([{ state: "acted_on", attempt: 1 }]);
});

it("A message is handed to the next attempt when the one before was lost, seen or not", async () => {
  const { say, beat, lose, actor, states } = await scene();
  await say("First");
  await beat();
  await say("Second");
  const next = await lose();
  expect(next).toMatchObject({ attempt: 2, messages: [{ text: "First" }, { text: "Second" }] });
  const report = { job_id: next.id, attempt: 2, verify_result: "ALIGNED" as const };
  await reportAgentJob(actor, { ...report, status: "done" });
  expect(await states()).toMatchObject([
    { text: "First", state: "acted_on" },
    { text: "Second", state: "acted_on", attempt: 2 },
  ]);
});

it.each([
  ["done", { status: "done", verify_result: "ALIGNED" }, "was done"],
  ["failed", { status: "failed", failure_class: "agent_error", failure_reason: "No" }, "failed"],
] as const)("An unseen message is undelivered, with the reason, once its job is %s", async (_, end, words) => {
  const { say, report, states } = await scene();
  await say();
  await report(end);
  expect(await states()).toMatchObject([
    { state: "undelivered", reason: `The job ${words} before its agent saw this.` },
  ]);
});

it("A message is undelivered when its run is cancelled, and when its job goes with the task", async () => {
  const cancelled = await scene();
  await cancelled.say();
  await cancelSprintRun(cancelled.actor, { sprint_run_id: cancelled.run.id });
  expect(await cancelled.states()).toMatchObject([
    { state: "undelivered", reason: expect.stringContaining("cancelled") },
  ]);
  const { actor, world, run, task } = await scene({ stories: [2] });
  const story = { kind: "story", id: at(world.stories, 0).id } as const;
  await addComment(actor, { ...story, body: "All of you", send_to_agent: true });
  await cancelSprintRun(actor, { sprint_run_id: run.id });
  await deleteTask(actor, { task_id: task.id });
  expect((await listComments(actor, story)).comments).toMatchObject([
    { state: "undelivered", deliveries: [{ job_id: null, reason: expect.any(String) }] },
  ]);
});

it("A message waits with a job that no worker has yet, and is part of its claim", async () => {
  const world = await t.seedSprint({ stories: [1] });
  await world.start();
  const place = { kind: "task", id: at(world.tasks, 0).id } as const;
  await addComment(world.actor, { ...place, body: "Early", send_to_agent: true });
  expect((await claim(world.actor)).messages).toMatchObject([{ text: "Early" }]);
});

it("A batch gets messages to any of its tasks, and one to its job is kept with the task at work", async () => {
  const { actor, job, world, states } = await scene({ strategy: "SPRINT_BATCH", stories: [2] });
  const second = { kind: "task", id: at(world.tasks, 1).id } as const;
  await addComment(actor, { ...second, body: "To the second", send_to_agent: true });
  await messageJob(actor, { job_id: job.id, body: "From the job" });
  expect(await states()).toMatchObject([{ text: "To the second" }, { text: "From the job" }]);
  const first = { kind: "task", id: at(world.tasks, 0).id } as const;
  expect((await listComments(actor, first)).comments).toMatchObject([{ body: "From the job" }]);
});

it("A message is refused, and no comment written, where no agent works", async () => {
  const world = await t.seedSprint({ stories: [1] });
  const place = { kind: "task", id: at(world.tasks, 0).id } as const;
  const refusal = await refusalOf(addComment(world.actor, { ...place, body: "Anyone?", send_to_agent: true }));
  expect(refusal).toMatchObject({ status: 409, message: expect.stringContaining("start a run") });
  expect((await listComments(world.actor, place)).comments).toEqual([]);
  const pbi = { kind: "pbi", id: world.pbi.id, body: "x", send_to_agent: true } as const;
  expect(await refusalOf(addComment(world.actor, pbi))).toMatchObject({ status: 422 });
  const { actor, job, report } = await scene();
  await report({ status: "done", verify_result: "ALIGNED" });
  expect(await refusalOf(messageJob(actor, { job_id: job.id, body: "Late" }))).toMatchObject({ status: 409 });
});

it("A message is taken back with its comment", async () => {
  const { actor, place, say, beat } = await scene();
  const { id: comment_id } = await say();
  await deleteComment(actor, { ...place, comment_id });
  expect(await beat()).not.toHaveProperty("messages");
});

it("A message sent at the moment at which its job ends is either refused or undelivered", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { say, report, states } = await scene();
    const [said] = await Promise.allSettled([say(), report({ status: "done", verify_result: "ALIGNED" })]);
    const left = await states();
    if (said.status === "rejected") expect(left).toEqual([]);
    else expect(left).toMatchObject([{ state: "undelivered" }]);
  }
});
