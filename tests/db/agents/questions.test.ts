import { describe, expect, it } from "vitest";
import type { AskQuestionInput } from "~/nouns/questions/contract";
import {
  answerQuestion,
  askQuestion,
  cancelQuestion,
  getNotificationsState,
  getQuestion,
  listQuestions,
} from "~/nouns/questions/operations.server";
import { expireQuestions } from "~/nouns/schedules/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, create } from "../../setup/world";
import { refusalOf, statusOf } from "../refusal";

const t = await createTestDatabase();
const week = 7 * 86_400;

async function askedWorld(rest: Partial<AskQuestionInput> = {}) {
  const world = await t.seedWorld();
  const question = await askQuestion(world.actor, {
    story_id: world.story.id,
    question: "Which colour?",
    options: ["Red", { label: "Blue", description: "Like the sky" }],
    ...rest,
  });
  return { ...world, question };
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

  it("refuses both or neither of story and idea, and a task of another story", async () => {
    const { actor, owner, story, product, pbi, tasks } = await t.seedWorld();
    const idea = await create(actor, "create_idea", { p_product_id: product.id, p_title: "I" });
    const other = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Other" });
    const ask = (rest: Partial<AskQuestionInput>) =>
      statusOf(askQuestion(actor, { question: "?", ...rest }));
    expect(await ask({})).toBe(422);
    expect(await ask({ story_id: story.id, idea_id: idea.id })).toBe(422);
    expect(await ask({ story_id: other.id, task_id: at(tasks, 0).id })).toBe(422);
    expect(await ask({ story_id: idea.id })).toBe(404);
    await expect(
      t.query`insert into public.agent_questions (product_id, story_id, idea_id, reader_id,
        question) values (${product.id}, ${story.id}, ${idea.id}, ${owner.id}, '?')`,
    ).rejects.toThrow("agent_questions_story_or_idea");
  });

  it("takes an expiry from one minute to thirty days, and nothing else", async () => {
    const { actor, story } = await t.seedWorld();
    const ask = (expires_in_seconds: number) =>
      askQuestion(actor, { story_id: story.id, question: "?", expires_in_seconds });
    for (const seconds of [60, 2_592_000]) expect((await ask(seconds)).status).toBe("open");
    for (const seconds of [59, 2_592_001, 0, -1]) expect(await statusOf(ask(seconds))).toBe(422);
  });

  it("takes at most 8 options and 4,000 characters, and a recommended one among them", async () => {
    const { actor, story, product } = await t.seedWorld();
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

  it("cancels an open question; it cannot be answered afterwards", async () => {
    const { actor, question } = await askedWorld();
    expect((await cancelQuestion(actor, { question_id: question.id })).status).toBe("cancelled");
    expect((await cancelQuestion(actor, { question_id: question.id })).status).toBe("cancelled");
    expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(
      409,
    );
  });

  it("treats a question past its expiry as expired at once, everywhere", async () => {
    const { actor, question } = await askedWorld();
    await t.expireQuestion(question.id);
    expect((await getQuestion(actor, { question_id: question.id })).status).toBe("expired");
    expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(
      409,
    );
    expect(await statusOf(cancelQuestion(actor, { question_id: question.id }))).toBe(409);
    expect((await getNotificationsState(actor)).questions).toEqual([]);
    const { questions } = await listQuestions(actor, { state: "expired" });
    expect(questions.map(({ id }) => id)).toEqual([question.id]);
    expect((await listQuestions(actor, { state: "open" })).questions).toEqual([]);
    expect(await t.columnOf("agent_questions", question.id, "status")).toBe("OPEN");
    await expireQuestions(t.database);
    expect(await t.columnOf("agent_questions", question.id, "status")).toBe("EXPIRED");
  });

  it("is for members of the product; demo accounts read, strangers do not", async () => {
    const { question, product } = await askedWorld();
    const member = await t.newMember(product.id);
    const demo = await t.newMember(product.id, { demo: true });
    const stranger = t.actorOf(await t.createUser());
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
    const { actor, owner, story, question } = await askedWorld();
    await t.query`insert into public.rate_limit_counters (action, key, window_start, count)
      values ('answer', ${owner.id}, now(), 59)`;
    const another = await askQuestion(actor, { story_id: story.id, question: "And this?" });
    await answerQuestion(actor, { question_id: another.id, answer: "Yes" });
    expect(await statusOf(answerQuestion(actor, { question_id: question.id, option: 0 }))).toBe(
      429,
    );
  });
});
