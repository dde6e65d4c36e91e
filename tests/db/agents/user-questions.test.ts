import { describe, expect, it } from "vitest";
import { claimAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import {
  answerUserQuestion,
  askAboutIdea,
  askQuestion,
  getIdeaConversation,
  listOpenUserQuestions,
} from "~/nouns/questions/operations.server";
import { createTestDatabase } from "../../setup/database";
import { claim, create } from "../../setup/world";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

async function askedIdea() {
  const world = await t.seedWorld(0);
  const idea = await create(world.actor, "create_idea", {
    p_product_id: world.product.id,
    p_title: "Dark mode",
  });
  const question = await askAboutIdea(world.actor, { idea_id: idea.id, question: "How long?" });
  return { ...world, idea, question };
}

describe("a question of a user about an idea", () => {
  it("is pending, queues a PLAN_CHAT job with the idea, and makes a draft a discussion", async () => {
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

  it("is closed by the worker's answer, which appears in the idea's conversation", async () => {
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
    const conversation = await getIdeaConversation(actor, { idea_id: idea.id });
    expect(conversation.user_questions).toMatchObject([{ answer: "Two days", job_status: "done" }]);
    expect(conversation.agent_questions).toEqual([asked]);
  });

  it("may be answered by the summary of the job's report", async () => {
    const { actor, question } = await askedIdea();
    const job = await claim(actor);
    await reportAgentJob(actor, { job_id: job.id, attempt: 1, status: "done", summary: "A week" });
    expect(await t.columnOf("user_questions", question.id, "answer")).toBe("A week");
  });

  it("belongs to its user: other members neither see it, answer it, nor get its job", async () => {
    const { product, idea, question } = await askedIdea();
    const member = await t.createUser();
    await t.query`insert into public.product_members (product_id, user_id)
      values (${product.id}, ${member.id})`;
    const other = t.actorOf(member);
    expect((await claimAgentJob(other, { worker: "w" })).job).toBeNull();
    expect(await statusOf(getIdeaConversation(other, { idea_id: idea.id }))).toBe(403);
    expect(await statusOf(askAboutIdea(other, { idea_id: idea.id, question: "?" }))).toBe(403);
    expect(
      await statusOf(answerUserQuestion(other, { user_question_id: question.id, answer: "No" })),
    ).toBe(403);
  });

  it("is refused for an unknown or archived idea, without text, and past 30 a minute", async () => {
    const { actor, idea, owner } = await askedIdea();
    const ask = (idea_id: string, question = "?") =>
      statusOf(askAboutIdea(actor, { idea_id, question }));
    expect(await ask(owner.id)).toBe(404);
    expect(await ask(idea.id, " ")).toBe(422);
    await t.query`update public.rate_limit_counters set count = 30 where key = ${owner.id}
      and action = 'enqueue'`;
    expect(await ask(idea.id)).toBe(429);
    await t.query`delete from public.rate_limit_counters where key = ${owner.id}`;
    await t.query`update public.ideas set archived_at = now() where id = ${idea.id}`;
    expect(await ask(idea.id)).toBe(409);
  });
});
