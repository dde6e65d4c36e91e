import { expect, it } from "vitest";
import { z } from "zod";
import { callAs } from "~/db/rpc.server";
import { cancelAgentJob, claimAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { archiveIdea, getIdea, updateIdea } from "~/nouns/ideas/operations.server";
import { archiveProduct, leaveProduct, restoreProduct } from "~/nouns/products/operations.server";
import {
  answerQuestion,
  answerUserQuestion,
  askAboutIdea,
  askQuestion,
  cancelQuestion,
  getNotificationsState,
  getQuestion,
  listOpenUserQuestions,
  listQuestions,
} from "~/nouns/questions/operations.server";
import { expireQuestions } from "~/nouns/schedules/operations.server";
import type { AskQuestionInput } from "~/wire/questions/contract";
import { createTestDatabase } from "../../setup/database";
import { at, claim, create } from "../../setup/world";
import { asUser, outcomeOf } from "../as-user";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();
const week = 7 * 86_400;

async function askedWorld(rest: Partial<AskQuestionInput> = {}) {
  const world = await t.seedWorld();
  const question = await askQuestion(world.actor, {
    story_id: world.story.id,
    question: "Which color?",
    options: ["Red", { label: "Blue", description: "Like the sky" }],
    ...rest,
  });
  return { ...world, question };
}

it("A new question is open with all its fields and has seven days of time", async () => {
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

it("A question about a task is bound to the story of the task, and one about an idea to the idea", async () => {
  const { actor, tasks, story, product } = await t.seedWorld();
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

it("A question about both or neither of story and idea, or a task of another story, is refused", async () => {
  const { actor, owner, story, product, pbi, tasks } = await t.seedWorld();
  const idea = await create(actor, "create_idea", { p_product_id: product.id, p_title: "I" });
  const other = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Other" });
  const ask = (rest: Partial<AskQuestionInput>) => statusOf(askQuestion(actor, { question: "?", ...rest }));
  expect(await ask({})).toBe(422);
  expect(await ask({ story_id: story.id, idea_id: idea.id })).toBe(422);
  expect(await ask({ story_id: other.id, task_id: at(tasks, 0).id })).toBe(422);
  expect(await ask({ story_id: idea.id })).toBe(404);
  await expect(
    t.query`insert into public.agent_questions (product_id, story_id, idea_id, reader_id,
        question) values (${product.id}, ${story.id}, ${idea.id}, ${owner.id}, '?')`,
  ).rejects.toThrow("agent_questions_story_or_idea");
});

it("A question may expire after one minute to thirty days, and nothing else", async () => {
  const { actor, story } = await t.seedWorld();
  const ask = (expires_in_seconds: number) =>
    askQuestion(actor, { story_id: story.id, question: "?", expires_in_seconds });
  for (const seconds of [60, 2_592_000]) expect((await ask(seconds)).status).toBe("open");
  for (const seconds of [59, 2_592_001, 0, -1]) expect(await statusOf(ask(seconds))).toBe(422);
});

it("A question takes at most 8 options and 4,000 characters, and a recommended one of its options", async () => {
  const { actor, story, product } = await t.seedWorld();
  const ask = (rest: Partial<AskQuestionInput>) => askQuestion(actor, { story_id: story.id, question: "?", ...rest });
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

it("A question is answered with an option and a text, and only once", async () => {
  const { actor, question, owner } = await askedWorld();
  const answered = await answerQuestion(actor, { question_id: question.id, option: 1, answer: "a light one" });
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
  expect((await getQuestion(actor, { question_id: question.id })).answer).toBe("Blue: a light one");
});

it("An answer without content or with an option that is not there is refused", async () => {
  const { actor, question } = await askedWorld();
  for (const rest of [{}, { answer: "  " }, { option: 2 }, { option: -1 }]) {
    expect(await statusOf(answerQuestion(actor, { question_id: question.id, ...rest }))).toBe(422);
  }
});

it("A cancelled question cannot be answered", async () => {
  const { actor, question } = await askedWorld();
  expect((await cancelQuestion(actor, { question_id: question.id })).status).toBe("cancelled");
  expect((await cancelQuestion(actor, { question_id: question.id })).status).toBe("cancelled");
  expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(409);
});

it("A question past its expiry is expired at once, everywhere, before a schedule has marked it", async () => {
  const { actor, question } = await askedWorld();
  await t.expireQuestion(question.id);
  expect((await getQuestion(actor, { question_id: question.id })).status).toBe("expired");
  expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(409);
  expect(await statusOf(cancelQuestion(actor, { question_id: question.id }))).toBe(409);
  expect((await getNotificationsState(actor)).questions).toEqual([]);
  const { questions } = await listQuestions(actor, { state: "expired" });
  expect(questions.map(({ id }) => id)).toEqual([question.id]);
  expect((await listQuestions(actor, { state: "open" })).questions).toEqual([]);
  expect(await t.columnOf("agent_questions", question.id, "status")).toBe("OPEN");
  await expireQuestions(t.database);
  expect(await t.columnOf("agent_questions", question.id, "status")).toBe("EXPIRED");
});

it("A user may give at most 60 answers a minute", async () => {
  const { actor, owner, story, question } = await askedWorld();
  await t.query`insert into public.rate_limit_counters (action, key, window_start, count)
      values ('answer', ${owner.id}, now(), 59)`;
  const another = await askQuestion(actor, { story_id: story.id, question: "And this?" });
  await answerQuestion(actor, { question_id: another.id, answer: "Yes" });
  expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(429);
});

it("open questions of an archived product rest everywhere until it is restored", async () => {
  const { actor, product, story } = await t.seedWorld(0);
  const product_id = product.id;
  const question = await askQuestion(actor, { story_id: story.id, question: "Which?" });
  const shell = z.looseObject({ inbox: z.number() });
  const dashboard = z.looseObject({ questions: z.array(z.looseObject({ id: z.string() })) });
  const seen = async () => [
    (await callAs(actor, "get_shell", {}, shell)).inbox,
    (await getNotificationsState(actor)).questions.length,
    (await listQuestions(actor, { state: "open" })).questions.length,
    (await listQuestions(actor, {})).questions.length,
    (await callAs(actor, "get_dashboard", {}, dashboard)).questions.length,
  ];
  expect(await seen()).toEqual([1, 1, 1, 1, 1]);
  await archiveProduct(actor, { product_id });
  expect(await seen()).toEqual([0, 0, 0, 0, 0]);
  await restoreProduct(actor, { product_id });
  expect(await seen()).toEqual([1, 1, 1, 1, 1]);
  expect((await listQuestions(actor, {})).questions[0]?.id).toBe(question.id);
});

it("a user's question whose work was given up and cleaned up is open no more", async () => {
  const { actor, product } = await t.seedWorld(0);
  const idea = await create(actor, "create_idea", { p_product_id: product.id, p_title: "Idea" });
  const idea_id = idea.id;
  const question = await askAboutIdea(actor, { idea_id, question: "How?" });
  await cancelAgentJob(actor, { job_id: question.job_id ?? "" });
  const open = async () => (await listOpenUserQuestions(actor, {})).user_questions;
  expect(await open()).toMatchObject([{ id: question.id, job_status: "cancelled" }]);
  await t.query`delete from public.agent_jobs where id = ${question.job_id}`;
  expect(await open()).toEqual([]);
  expect((await getIdea(actor, { idea_id })).talk.user_questions).toMatchObject([
    { id: question.id, status: "pending", job_status: null },
  ]);
  const answer = { user_question_id: question.id, answer: "Late, but here." };
  expect((await answerUserQuestion(actor, answer)).status).toBe("answered");
});

it("an idea of a product that its user has left stays theirs: corrected, archived, taken elsewhere", async () => {
  const { product } = await t.seedWorld(0);
  const user = await t.createUser();
  const actor = t.actorOf(user);
  await t.addMember(product.id, user);
  const idea = await create(actor, "create_idea", { p_product_id: product.id, p_title: "Mine" });
  const idea_id = idea.id;
  await leaveProduct(actor, { product_id: product.id });

  expect((await updateIdea(actor, { idea_id, title: "Still mine" })).title).toBe("Still mine");
  expect((await archiveIdea(actor, { idea_id })).archived_at).not.toBeNull();
  expect((await refusalOf(askAboutIdea(actor, { idea_id, question: "How?" }))).status).toBe(403);

  const foreign = await t.seedWorld(0);
  const into = { idea_id, product_id: foreign.product.id };
  expect((await refusalOf(updateIdea(actor, into))).status).toBe(403);
  await asUser(t, user, async (client) => {
    const move = (to: string) =>
      outcomeOf(client, "update public.ideas set product_id = $2 where id = $1", [idea_id, to]);
    expect(await move(foreign.product.id)).toBe("42501");
    expect(await outcomeOf(client, "delete from public.ideas where id = $1", [idea_id])).toBe(1);
  });
  const own = await create(actor, "create_product", { p_code: "MINE", p_name: "Mine" });
  const moved = await updateIdea(actor, { idea_id, product_id: own.id });
  expect(moved.product_id).toBe(own.id);
});

async function askedIdea() {
  const world = await t.seedWorld(0);
  const idea = await create(world.actor, "create_idea", { p_product_id: world.product.id, p_title: "Dark mode" });
  const question = await askAboutIdea(world.actor, { idea_id: idea.id, question: "How long?" });
  return { ...world, idea, question };
}

it("A user's question about an idea queues a PLAN_CHAT job and makes a draft a discussion", async () => {
  const { actor, idea, question, owner } = await askedIdea();
  expect(question).toMatchObject({
    idea_id: idea.id,
    user_id: owner.id,
    question: "How long?",
    answer: null,
    status: "pending",
    job_status: "queued",
  });
  expect(await t.columnOf("ideas", idea.id, "status")).toBe("DISCUSSING");
  expect((await listOpenUserQuestions(actor, {})).user_questions).toEqual([question]);
  const job = await claim(actor);
  expect(job).toMatchObject({
    id: question.job_id,
    kind: "PLAN_CHAT",
    task: null,
    story: null,
    run: null,
    idea: { id: idea.id, title: "Dark mode" },
    user_questions: [{ id: question.id, question: "How long?", asked_for_this_job: true }],
  });
});

it("A user's question is closed by the worker's answer, which appears in the idea's conversation", async () => {
  const { actor, idea, question } = await askedIdea();
  const job = await claim(actor);
  const attempt = { job_id: job.id, attempt: 1 };
  expect(await statusOf(reportAgentJob(actor, { ...attempt, status: "done" }))).toBe(422);
  const answer = { user_question_id: question.id, answer: "Two days" };
  const answered = await answerUserQuestion(actor, answer);
  expect(answered).toMatchObject({ status: "answered", answer: "Two days" });
  expect(await answerUserQuestion(actor, answer)).toEqual(answered);
  expect(await statusOf(answerUserQuestion(actor, { ...answer, answer: "Three" }))).toBe(409);
  expect((await reportAgentJob(actor, { ...attempt, status: "done" })).status).toBe("done");
  expect((await listOpenUserQuestions(actor, {})).user_questions).toEqual([]);
  const asked = await askQuestion(actor, { idea_id: idea.id, question: "Which screens?" });
  const { talk } = await getIdea(actor, { idea_id: idea.id });
  expect(talk.user_questions).toMatchObject([{ answer: "Two days", job_status: "done" }]);
  expect(talk.agent_questions).toEqual([asked]);
});

it("A user's question about an idea may be answered by the summary of the job's report", async () => {
  const { actor, question } = await askedIdea();
  const job = await claim(actor);
  await reportAgentJob(actor, { job_id: job.id, attempt: 1, status: "done", summary: "A week" });
  expect(await t.columnOf("user_questions", question.id, "answer")).toBe("A week");
});

it("A user's question about an idea is theirs: no other member sees it, answers it, or gets its job", async () => {
  const { product, idea, question } = await askedIdea();
  const member = await t.createMember(product.id);
  const other = t.actorOf(member);
  expect((await claimAgentJob(other, { worker: "w" })).job).toBeNull();
  expect(await statusOf(getIdea(other, { idea_id: idea.id }))).toBe(403);
  expect(await statusOf(askAboutIdea(other, { idea_id: idea.id, question: "?" }))).toBe(403);
  expect(await statusOf(answerUserQuestion(other, { user_question_id: question.id, answer: "No" }))).toBe(403);
});

it("A user's question is refused for an unknown or archived idea, without text, and past 30 a minute", async () => {
  const { actor, idea, owner } = await askedIdea();
  const ask = (idea_id: string, question = "?") => statusOf(askAboutIdea(actor, { idea_id, question }));
  expect(await ask(owner.id)).toBe(404);
  expect(await ask(idea.id, " ")).toBe(422);
  await t.query`update public.rate_limit_counters set count = 30 where key = ${owner.id} and action = 'enqueue'`;
  expect(await ask(idea.id)).toBe(429);
  await t.query`delete from public.rate_limit_counters where key = ${owner.id}`;
  await t.query`update public.ideas set archived_at = now() where id = ${idea.id}`;
  expect(await ask(idea.id)).toBe(409);
});
