import { describe, expect, it } from "vitest";
import type { AskQuestionInput } from "~/contract/question";
import { heartbeatAgentJob } from "~/domain/agent-jobs/heartbeat-agent-job.server";
import { reportAgentJob } from "~/domain/agent-jobs/report-agent-job.server";
import { whyNotMoving } from "~/domain/agent-jobs/why-not-moving.server";
import { answerQuestion } from "~/domain/questions/answer-question.server";
import { askQuestion } from "~/domain/questions/ask-question.server";
import { cancelQuestion } from "~/domain/questions/cancel-question.server";
import { getNotificationsState } from "~/domain/questions/get-notifications-state.server";
import { getQuestion } from "~/domain/questions/get-question.server";
import { listQuestions } from "~/domain/questions/list-questions.server";
import { expireQuestions } from "~/domain/schedules/expire-questions.server";
import { sweep } from "~/domain/schedules/sweep.server";
import { resumeSprintRun } from "~/domain/sprint-runs/resume-sprint-run.server";
import { startSprintRun } from "~/domain/sprint-runs/start-sprint-run.server";
import { create } from "../../setup/backlog";
import { createTestDatabase } from "../../setup/database";
import { createUser } from "../../setup/users";
import { refusalOf, statusOf } from "../refusal";
import { at, seedWorld } from "../world";
import { claim, claimRefusal, columnOf, seedSprint } from "./sprint-world";

const t = await createTestDatabase();
const week = 7 * 86_400;

async function addMember(productId: string, options: { demo?: boolean } = {}) {
  const user = await createUser(t, options);
  await t.sql.query("insert into public.product_members (product_id, user_id) values ($1, $2)", [
    productId,
    user.id,
  ]);
  return { user, actor: t.actorOf(user) };
}

async function askedWorld(rest: Partial<AskQuestionInput> = {}) {
  const world = await seedWorld(t);
  const question = await askQuestion(world.actor, {
    story_id: world.story.id,
    question: "Which colour?",
    options: ["Red", { label: "Blue", description: "Like the sky" }],
    ...rest,
  });
  return { ...world, question };
}

async function expire(questionId: string) {
  await t.sql.query(
    "update public.agent_questions set expires_at = now() - interval '1 second' where id = $1",
    [questionId],
  );
}

describe("asking", () => {
  it("opens a question with all its fields and seven days of time", async () => {
    const { question, product, story } = await askedWorld({ recommended_option: 1 });
    expect(question).toMatchObject({
      status: "open",
      product_id: product.id,
      product_code: "WORLD",
      story_id: story.id,
      idea_id: null,
      task_id: null,
      assignee_id: null,
      options: [{ label: "Red" }, { label: "Blue", description: "Like the sky" }],
      recommended_option: 1,
      on_expiry: "STOP",
      park: false,
      answer: null,
    });
    const seconds = (Date.parse(question.expires_at) - Date.parse(question.created_at)) / 1000;
    expect(Math.abs(seconds - week)).toBeLessThan(5);
  });

  it("about a task is bound to the story of the task; about an idea to the idea", async () => {
    const { actor, tasks, story, product } = await seedWorld(t);
    const task_id = at(tasks, 0).id;
    expect(await askQuestion(actor, { task_id, question: "?" })).toMatchObject({
      task_id,
      story_id: story.id,
      task_code: "T-1",
    });
    const idea = await create(actor, "create_idea", { p_product_id: product.id, p_title: "I" });
    expect(await askQuestion(actor, { idea_id: idea.id, question: "?" })).toMatchObject({
      idea_id: idea.id,
      story_id: null,
      idea_code: idea.code,
    });
  });

  it("refuses both or neither of story and idea, and a task of another story", async () => {
    const { actor, story, product, pbi, tasks } = await seedWorld(t);
    const idea = await create(actor, "create_idea", { p_product_id: product.id, p_title: "I" });
    const other = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Other" });
    const ask = (rest: Partial<AskQuestionInput>) =>
      statusOf(askQuestion(actor, { question: "?", ...rest }));
    expect(await ask({})).toBe(422);
    expect(await ask({ story_id: story.id, idea_id: idea.id })).toBe(422);
    expect(await ask({ story_id: other.id, task_id: at(tasks, 0).id })).toBe(422);
    expect(await ask({ story_id: idea.id })).toBe(404);
    await expect(
      t.sql.query(
        "insert into public.agent_questions (product_id, story_id, idea_id, question) values ($1, $2, $3, '?')",
        [product.id, story.id, idea.id],
      ),
    ).rejects.toThrow("agent_questions_story_or_idea");
  });

  it("takes an expiry from one minute to thirty days, and nothing else", async () => {
    const { actor, story } = await seedWorld(t);
    const ask = (expires_in_seconds: number) =>
      askQuestion(actor, { story_id: story.id, question: "?", expires_in_seconds });
    for (const seconds of [60, 2_592_000]) expect((await ask(seconds)).status).toBe("open");
    for (const seconds of [59, 2_592_001, 0, -1]) expect(await statusOf(ask(seconds))).toBe(422);
  });

  it("takes at most 8 options and 4,000 characters, and a recommended one among them", async () => {
    const { actor, story, product } = await seedWorld(t);
    const ask = (rest: Partial<AskQuestionInput>) =>
      askQuestion(actor, { story_id: story.id, question: "?", ...rest });
    const eight = Array.from({ length: 8 }, (_, n) => `Option ${n}`);
    expect((await ask({ options: eight, recommended_option: 7 })).options).toHaveLength(8);
    expect((await ask({ question: "x".repeat(4000) })).question).toHaveLength(4000);
    for (const rest of [
      { options: [...eight, "Ninth"] },
      { options: eight, recommended_option: 8 },
      { question: "x".repeat(4001) },
      { question: " \n" },
      { on_expiry: "RECOMMENDED" as const },
      { on_expiry: "ESCALATE" as const },
      { park: true },
      { assignee_id: product.id },
    ]) {
      expect(await statusOf(ask(rest)), JSON.stringify(rest).slice(0, 60)).toBe(422);
    }
  });
});

describe("answering and cancelling", () => {
  it("answers with an option, with text, or with both, and only once", async () => {
    const { actor, question, owner } = await askedWorld();
    const answered = await answerQuestion(actor, {
      question_id: question.id,
      option: 1,
      answer: "a light one",
    });
    expect(answered).toMatchObject({
      status: "answered",
      answer: "Blue: a light one",
      effective_answer: "Blue: a light one",
      answered_by: owner.id,
      answered_by_name: owner.username,
    });
    const refusal = await refusalOf(answerQuestion(actor, { question_id: question.id, option: 0 }));
    expect(refusal.status).toBe(409);
    expect(refusal.message).toContain(owner.username);
    expect(await statusOf(cancelQuestion(actor, { question_id: question.id }))).toBe(409);
    expect((await getQuestion(actor, { question_id: question.id })).answer).toBe(
      "Blue: a light one",
    );
  });

  it("refuses an answer without content and an option that is not there", async () => {
    const { actor, question } = await askedWorld();
    for (const rest of [{}, { answer: "  " }, { option: 2 }, { option: -1 }]) {
      expect(await statusOf(answerQuestion(actor, { question_id: question.id, ...rest }))).toBe(
        422,
      );
    }
  });

  it("cancels an open question; it can not be answered afterwards", async () => {
    const { actor, question } = await askedWorld();
    expect((await cancelQuestion(actor, { question_id: question.id })).status).toBe("cancelled");
    expect((await cancelQuestion(actor, { question_id: question.id })).status).toBe("cancelled");
    expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(
      409,
    );
  });

  it("treats a question past its expiry as expired at once, everywhere", async () => {
    const { actor, question } = await askedWorld();
    await expire(question.id);
    expect((await getQuestion(actor, { question_id: question.id })).status).toBe("expired");
    expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(
      409,
    );
    expect(await statusOf(cancelQuestion(actor, { question_id: question.id }))).toBe(409);
    expect((await getNotificationsState(actor)).questions).toEqual([]);
    const { questions } = await listQuestions(actor, { state: "expired" });
    expect(questions.map(({ id }) => id)).toEqual([question.id]);
    expect((await listQuestions(actor, { state: "open" })).questions).toEqual([]);
    expect(await columnOf(t, "agent_questions", question.id, "status")).toBe("OPEN");
    await expireQuestions(t.database);
    expect(await columnOf(t, "agent_questions", question.id, "status")).toBe("EXPIRED");
  });

  it("is for members of the product; demo accounts read, strangers do not", async () => {
    const { question, product } = await askedWorld();
    const member = await addMember(product.id);
    const demo = await addMember(product.id, { demo: true });
    const stranger = t.actorOf(await createUser(t));
    expect((await getNotificationsState(member.actor)).questions.map((q) => q.question)).toEqual([
      "Which colour?",
    ]);
    expect((await getNotificationsState(demo.actor)).questions).toHaveLength(1);
    expect((await getNotificationsState(stranger)).questions).toEqual([]);
    const answer = { question_id: question.id, option: 0 };
    expect(await statusOf(answerQuestion(stranger, answer))).toBe(403);
    expect(await statusOf(getQuestion(stranger, answer))).toBe(403);
    expect(await statusOf(answerQuestion(demo.actor, answer))).toBe(403);
    expect((await answerQuestion(member.actor, answer)).status).toBe("answered");
  });

  it("is limited to 60 answers a minute", async () => {
    const { actor, owner, question } = await askedWorld();
    await t.sql.query(
      "insert into public.rate_limit_counters (action, key, window_start, count) values ('answer', $1, now(), 60)",
      [owner.id],
    );
    expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(
      429,
    );
  });

  it("lists page by page, newest first", async () => {
    const { actor, story } = await seedWorld(t);
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      ids.unshift((await askQuestion(actor, { story_id: story.id, question: `Q${n}` })).id);
    }
    const first = await listQuestions(actor, { limit: 2 });
    const rest = await listQuestions(actor, { limit: 2, cursor: first.next_cursor ?? undefined });
    expect([...first.questions, ...rest.questions].map(({ id }) => id)).toEqual(ids);
    expect(rest.next_cursor).toBeNull();
  });
});

describe("parking", () => {
  async function parkedJob(rest: Partial<AskQuestionInput> = {}) {
    const world = await seedSprint(t, { strategy: "STORY", stories: [1, 1] });
    const run = await startSprintRun(world.actor, { sprint_id: world.sprint.id });
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

  it("frees the worker; the job waits in the queue while the question is open", async () => {
    const { world, job, question } = await parkedJob();
    expect(question).toMatchObject({ park: true, job_id: job.id });
    expect(await columnOf(t, "agent_jobs", job.id, "status")).toBe("QUEUED");
    expect(await columnOf(t, "agent_jobs", job.id, "retry_count")).toBe(0);
    expect(await heartbeatAgentJob(world.actor, { job_id: job.id, attempt: 1 })).toMatchObject({
      action: "stop",
      reason: { code: "parked" },
    });
    expect(
      await statusOf(reportAgentJob(world.actor, { job_id: job.id, attempt: 1, status: "failed" })),
    ).toBe(409);
    const other = await claim(world.actor);
    expect(other.task?.id).toBe(at(world.tasks, 1).id);
    expect(await claimRefusal(world.actor)).toBe("question");
    const why = await whyNotMoving(world.actor, { kind: "job", id: job.id });
    expect(why.reasons.map(({ code }) => code)).toContain("question");
    expect(why.text).toContain("Which way?");
  });

  it("brings the job back first once it is answered, with the answer in its payload", async () => {
    const { world, job, question } = await parkedJob();
    await answerQuestion(world.actor, { question_id: question.id, option: 1 });
    const again = await claim(world.actor, "worker-2");
    expect(again).toMatchObject({ id: job.id, attempt: 2, retry_count: 0 });
    expect(again.questions).toMatchObject([
      { id: question.id, status: "answered", answer: "Right", effective_answer: "Right" },
    ]);
  });

  it("lets the job go on without an answer when the question is cancelled", async () => {
    const { world, job, question } = await parkedJob();
    await cancelQuestion(world.actor, { question_id: question.id });
    expect(await claim(world.actor)).toMatchObject({
      id: job.id,
      questions: [{ status: "cancelled" }],
    });
  });

  it("needs the attempt that holds the job", async () => {
    const { world, job } = await parkedJob();
    expect(
      await statusOf(
        askQuestion(world.actor, {
          task_id: at(world.tasks, 0).id,
          question: "Again?",
          park: true,
          job_id: job.id,
          attempt: 1,
        }),
      ),
    ).toBe(409);
  });

  it("stops on expiry by default: the run is paused for a person, never a silent yes", async () => {
    const { world, run, question, job } = await parkedJob();
    await claim(world.actor);
    await expire(question.id);
    expect(await claimRefusal(world.actor)).toBe("question");
    await sweep(t.database);
    expect(await columnOf(t, "agent_questions", question.id, "status")).toBe("EXPIRED");
    expect(await columnOf(t, "sprint_runs", run.id, "status")).toBe("PAUSED");
    expect(await columnOf(t, "sprint_runs", run.id, "pause_context")).toMatchObject({
      reason: "question_expired",
    });
    await resumeSprintRun(world.actor, { sprint_run_id: run.id });
    expect(await claim(world.actor)).toMatchObject({
      id: job.id,
      questions: [
        { status: "expired", effective_answer: null, taken_by_policy: false },
        { status: "cancelled" },
      ],
    });
  });

  it("may take the recommended option on expiry, marked as taken by policy", async () => {
    const { world, question, job } = await parkedJob({
      on_expiry: "RECOMMENDED",
      recommended_option: 0,
    });
    await expire(question.id);
    const again = await claim(world.actor);
    expect(again).toMatchObject({
      id: job.id,
      questions: [
        { status: "expired", answer: null, effective_answer: "Left", taken_by_policy: true },
      ],
    });
  });

  it("may escalate on expiry: asked again to another member, the job still waits", async () => {
    const world = await seedSprint(t, { stories: [1] });
    const boss = await addMember(world.product.id);
    await startSprintRun(world.actor, { sprint_id: world.sprint.id });
    const job = await claim(world.actor);
    const question = await askQuestion(world.actor, {
      task_id: at(world.tasks, 0).id,
      question: "May I?",
      on_expiry: "ESCALATE",
      escalate_to: boss.user.id,
      park: true,
      job_id: job.id,
      attempt: 1,
    });
    await expire(question.id);
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
});
