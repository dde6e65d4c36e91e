import { expect, it } from "vitest";
import { z } from "zod";
import { callAs } from "~/db/rpc.server";
import { cancelAgentJob } from "~/nouns/agent-jobs/operations.server";
import { archiveIdea, updateIdea } from "~/nouns/ideas/operations.server";
import { archiveProduct, leaveProduct, restoreProduct } from "~/nouns/products/operations.server";
import {
  answerUserQuestion,
  askAboutIdea,
  askQuestion,
  getIdeaConversation,
  getNotificationsState,
  listOpenUserQuestions,
  listQuestions,
} from "~/nouns/questions/operations.server";
import { createTestDatabase } from "../../setup/database";
import { create } from "../../setup/world";
import { asUser, outcomeOf } from "../as-user";
import { refusalOf } from "../refusal";

const t = await createTestDatabase();

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
  expect((await getIdeaConversation(actor, { idea_id })).user_questions).toMatchObject([
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
