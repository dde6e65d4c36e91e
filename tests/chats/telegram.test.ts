import { expect, it } from "vitest";
import { claimAgentJob } from "~/nouns/agent-jobs/operations.server";
import { answerQuestion, getQuestion } from "~/nouns/questions/operations.server";
import { claim } from "../setup/world";
import { openTelegram } from "./fakes/telegram";
import { button, messageWith, openRoom, pair, until, waitingJob } from "./room";

const room = await openRoom("telegram", await openTelegram());
const { t, fake } = room;
const grace = { id: "1001", name: "Grace" };

it("A press in Telegram answers the agent, and the message says who answered where", async () => {
  const { world, job, ask } = await waitingJob(t);
  await pair(room, world.owner, grace);
  const question = await ask();
  const message = await messageWith(room, grace, "Which way?");
  expect(message.options.map(({ label }) => label)).toEqual(["Left", "Right", "Snooze 1 h"]);

  fake.press(grace, message, button(message, "Right"));
  await until(() => fake.answers.includes("Answered: Right"));
  const again = await claim(world.actor, "worker-2");
  expect(again).toMatchObject({ id: job.id, questions: [{ id: question.id, effective_answer: "Right" }] });
  expect(await getQuestion(world.actor, { question_id: question.id })).toMatchObject({
    answered_by: world.owner.id,
    answered_via: "telegram",
  });
  const edited = await messageWith(room, grace, `Answered by ${world.owner.username} in Telegram: Right`);
  expect(edited).toMatchObject({ id: message.id, options: [] });
});
