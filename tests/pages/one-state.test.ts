import { expect, it } from "vitest";
import { stateLine, type WorkState } from "~/features/items/state-line";
import { claimAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { answerQuestion, askQuestion } from "~/nouns/questions/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { openApp } from "../setup/app";
import { at, claim, finish } from "../setup/world";

const { t, app } = await openApp({ pages: true });

it("A task's card, backlog row and page show the same state at each step", async () => {
  const { world, job, attempt } = await t.holdJob({ stories: [2] });
  const cookie = await app.signIn(world.owner);
  const [task, next] = [at(world.tasks, 0), at(world.tasks, 1)];
  const product = `/products/${world.product.id}`;
  const read = async (path: string) => {
    const answer = await app.request(path, { headers: { cookie } });
    expect(answer.status, path).toBe(200);
    return answer.text();
  };
  const row = async (id: string) =>
    (await read(`${product}/backlog?open=all`)).split(`data-line="task:${id}"`)[1]?.split("</div>")[0] ?? "";
  const card = async (id: string) =>
    (await read(`${product}/sprints/${world.sprint.id}`)).split(`data-line="task:${id}"`)[1]?.split("</li>")[0] ?? "";

  expect(await row(task.id)).toContain("Running");
  expect(await card(task.id)).toContain("worker-1");
  expect(await read(`/tasks/${task.id}`)).toMatch(/data-state="running"[\s\S]{0,900}Running/);
  expect(await row(next.id)).toContain("Queued");
  expect(await card(next.id)).toContain("Queued");

  // The service queues a job that is parked; people read what it waits for, and nowhere that it is queued.
  const { id: question_id } = await askQuestion(world.actor, {
    task_id: task.id,
    question: "Which words?",
    park: true,
    ...attempt,
  });
  for (const part of [await row(task.id), await card(task.id)]) {
    expect(part).toContain("1 open question");
    expect(part).not.toContain("Queued");
  }
  const asked = await read(`/tasks/${task.id}`);
  expect(asked).toMatch(/data-state="question"[\s\S]{0,900}1 open question/);
  expect(asked).toContain("Waiting for an answer");
  expect(asked).not.toMatch(/data-status="queued"/);
  expect(await read(`/jobs/${job.id}`)).not.toMatch(/data-status="queued"/);

  await answerQuestion(world.actor, { question_id, answer: "These" });
  expect(await row(task.id)).toContain("Queued");
  const answered = await read(`/tasks/${task.id}`);
  expect(answered).toMatch(/data-state="queued"/);
  expect(answered).not.toContain("Waiting for an answer");

  await addDependency(world.actor, { kind: "task", id: next.id, blocked_by: task.code });
  for (const part of [await row(next.id), await card(next.id)]) expect(part).toContain(`Blocked by ${task.code}`);

  // The board counts the jobs of its run that are done, as its bar shows them.
  const again = await claim(world.actor, "worker-1");
  await finish(world.actor, again);
  const board = await read(`${product}/sprints/${world.sprint.id}`);
  expect(board.replaceAll("<!-- -->", "")).toContain("Run: 1 of 2 jobs");
});

it("a card names the agent that a task was handed to, and counts only proof of the task's own", async () => {
  const world = await t.seedSprint({ stories: [2] });
  const { actor, owner, product, sprint } = world;
  const [task, next] = [at(world.tasks, 0), at(world.tasks, 1)];
  const fallback = { agent: "claude", fallback: ["codex"] };
  await updateProduct(actor, { product_id: product.id, ...fallback, done_requires: "worker" });
  await updateStory(actor, { story_id: at(world.stories, 0).id, acceptance_criteria: "- It greets" });
  await world.start();
  const { read } = await app.visitorOf(owner);
  const card = async (id: string) =>
    (await read(`/products/${product.id}/sprints/${sprint.id}`))
      .replaceAll("<!-- -->", "")
      .split(`data-line="task:${id}"`)[1]
      ?.split("</li>")[0] ?? "";
  const take = async (agent: string) => {
    const { job } = await claimAgentJob(actor, { worker: agent, agents: [{ id: agent }] });
    if (!job) throw new Error("Nothing to claim");
    return { job, attempt: { job_id: job.id, attempt: job.attempt } };
  };

  expect(await card(task.id)).not.toContain("Proof");
  const first = await take("claude");
  await reportAgentJob(actor, {
    ...first.attempt,
    status: "failed",
    failure_class: "rate_limited",
    resets_at: new Date(Date.now() + 3 * 3_600_000).toISOString(),
  });
  expect(await card(task.id)).toContain("Queued for codex");
  expect(await read(`/tasks/${task.id}`)).toContain("Queued for codex");
  const tree = await read(`/products/${product.id}/backlog?open=all`);
  expect(tree).toContain("Queued for codex");
  const second = await take("codex");
  expect(await card(task.id)).toContain("codex, after claude");

  const [criterion] = second.job.criteria.map(({ id }) => id);
  await reportAgentJob(actor, {
    ...second.attempt,
    status: "done",
    verify_result: "ALIGNED",
    evidence: [{ criterion: criterion ?? "", grade: "worker", command: "npm test", exit_code: 0 }],
  });
  expect(await card(task.id)).toContain("Proof 1/2");
  expect(await card(next.id)).not.toContain("Proof");
  await setTaskStatus(actor, { task_id: next.id, status: "in_progress" });
  expect(await card(next.id)).toContain("Proof 0/2");
  await setTaskStatus(actor, { task_id: next.id, status: "done" });
  expect(await card(next.id)).not.toContain("Proof");
});

const plain: WorkState = {
  status: "todo",
  open_questions: 0,
  job_status: null,
  job_phase: null,
  waits_for: [],
  failure_reason: null,
  has_plan: true,
};

it.each<[string, Partial<WorkState>, string | null]>([
  ["a job parked for an answer", { job_status: "queued", open_questions: 1 }, "1 open question"],
  ["a job that waits for a worker", { job_status: "queued" }, "Queued"],
  ["one that waits for its blockers", { job_status: "queued", waits_for: ["T-1", "T-2"] }, "Blocked by T-1 and 1 more"],
  ["one that another worker verifies", { job_status: "queued", job_phase: "verify" }, "Waiting for a second worker"],
  ["work that a person judges", { job_status: "queued", job_phase: "review", status: "review" }, "Needs review"],
  ["what was just sent back", { pending_verdict: "request_changes", status: "review" }, "Changes requested"],
  ["what was just approved", { pending_verdict: "approve", status: "review" }, "Approved"],
  ["an agent at work", { job_status: "running", waits_for: ["T-1"] }, "Running"],
  ["an agent at work that asked", { job_status: "running", open_questions: 2 }, "2 open questions"],
  ["a failure", { status: "failed", failure_reason: "It broke\nin two" }, "It broke"],
  ["nothing written about how", { has_plan: false }, "No plan yet"],
  ["done, whatever it waited for", { status: "done", waits_for: ["T-1"] }, null],
  ["nothing to say", {}, null],
])("The state of a task is told in one line: %s", (_, known, text) => {
  expect(stateLine({ ...plain, ...known })?.text ?? null).toBe(text);
});
