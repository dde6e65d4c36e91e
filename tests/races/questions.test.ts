import { expect, it } from "vitest";
import { answerQuestion, askQuestion, cancelQuestion } from "~/nouns/questions/operations.server";
import { cleanupAgentArtifacts, expireQuestions, sweep } from "~/nouns/schedules/operations.server";
import { cancelSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createTestDatabase } from "../setup/database";
import { outcome } from "./outcome";

const t = await createTestDatabase();

const inParallel = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0);

it("A question that many answers and cancels reach at once has one winner", async () => {
  const { actor, story } = await t.seedWorld(0);
  const { id } = await askQuestion(actor, { story_id: story.id, question: "Who?" });
  const answers = await inParallel(25, (n) =>
    outcome(answerQuestion(actor, { question_id: id, answer: `Answer ${n}` })),
  );
  expect(answers.filter((o) => o === "won")).toHaveLength(1);

  const second = await askQuestion(actor, { story_id: story.id, question: "Who else?" });
  const outcomes = await inParallel(25, (n) =>
    n % 2 === 0
      ? outcome(answerQuestion(actor, { question_id: second.id, answer: `Answer ${n}` }))
      : outcome(cancelQuestion(actor, { question_id: second.id })),
  );
  const status = await t.columnOf("agent_questions", second.id, "status");
  const answersWon = outcomes.filter((o, n) => n % 2 === 0 && o === "won").length;
  expect(answersWon).toBe(status === "ANSWERED" ? 1 : 0);
  // Cancelling what is cancelled is fine; cancelling what was answered is not.
  const cancelsWon = outcomes.filter((o, n) => n % 2 === 1 && o === "won").length;
  expect(cancelsWon).toBe(status === "ANSWERED" ? 0 : 12);
});

it("20 runs of expire_questions at once expire each due row once", async () => {
  for (let product = 0; product < 3; product++) {
    const { product: p, story } = await t.seedWorld(0);
    await t.query`insert into public.agent_questions (product_id, story_id, question, expires_at)
         select ${p.id}::uuid, ${story.id}::uuid, 'due ' || n, now() - interval '1 minute' from generate_series(1, 40) n
         union all select ${p.id}::uuid, ${story.id}::uuid, 'later ' || n, now() + interval '1 hour'
           from generate_series(1, 5) n`;
  }
  await t.query`
      insert into public.login_pairings (mobile_secret_hash, desktop_token_hash, check_code, expires_at)
      select sha256(('m' || n)::bytea), sha256(('d' || n)::bytea), '123 456', now() - interval '1 second'
      from generate_series(1, 60) n`;
  const answers = await inParallel(20, () => expireQuestions(t.database));
  expect(sum(answers.map((a) => a.expired_questions))).toBe(120);
  expect(sum(answers.map((a) => a.expired_pairings))).toBe(60);
});

it("20 runs of cleanup_agent_artifacts at once delete each due row once", async () => {
  const world = await t.seedSprint({ stories: [12] });
  const run = await world.start();
  await cancelSprintRun(world.actor, { sprint_run_id: run.id });
  await t.query`update public.agent_jobs set finished_at = now() - interval '8 days' where sprint_run_id = ${run.id}`;
  const answers = await inParallel(20, () => cleanupAgentArtifacts(t.database));
  expect(sum(answers.map((a) => a.deleted))).toBe(12);
});

it("20 sweeps at once meet no deadlock", async () => {
  const answers = await inParallel(20, () => sweep(t.database, { full: true }));
  expect(answers).toHaveLength(20);
});
