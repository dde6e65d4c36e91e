import { expect, it } from "vitest";
import { connectBoth, createProduct, identified, listOf, ok, openStage, startRun } from "./stage";

const stage = await openStage();
const { t, ada } = stage;

const taskJobSchema = identified.extend({ task: identified });

it("Questions can be asked, listed and cancelled over the tools, and their answers read", async () => {
  const { agent, worker } = await connectBoth(stage);
  await createProduct(stage, "ASK");
  const about = await agent.call("search", { query: "Story", product_id: "ASK" });
  const [story] = listOf(about.result.items);
  const wish = { story_id: story, question: "Left or right?", options: ["Left", "Right"] };
  const asked = ok(await worker.call("ask_user_question", { ...wish, recommended_option: 1 }));
  expect(asked).toMatchObject({ status: "open", options: [{ label: "Left" }, { label: "Right" }] });
  const second = ok(await agent.call("ask_user_question", { ...wish, question: "Never mind?" }));
  ok(await agent.call("cancel_question", { question_id: second.id }));
  expect(ok(await agent.call("list_open_questions", { product_id: "ASK" }))).toMatchObject({
    questions: [{ id: asked.id }],
    next_cursor: null,
  });
  await t.database.callAs({ user_id: ada.id }, "answer_question", { p_question_id: asked.id, p_option: 0 });
  expect(ok(await worker.call("get_question_answer", { question_id: asked.id }))).toMatchObject({
    status: "answered",
    effective_answer: "Left",
  });
});

it("A question can park a job, which returns with the answer", async () => {
  const { agent, worker } = await connectBoth(stage);
  await createProduct(stage, "PARK");
  await startRun(agent, "PARK");
  const wish = { worker: "parker", product_id: "PARK" };
  const { job } = ok(await worker.call("wait_for_job", wish));
  const payload = taskJobSchema.parse(job);
  const asked = { task_id: payload.task.id, question: "Which way?", park: true, job_id: payload.id, attempt: 1 };
  const question = ok(await worker.call("ask_user_question", asked));
  expect(ok(await worker.call("wait_for_job", { ...wish, wait_seconds: 0 }))).toMatchObject({
    job: null,
    reason: { code: "question" },
  });
  const waiting = worker.call("wait_for_job", wish);
  await t.database.callAs({ user_id: ada.id }, "answer_question", { p_question_id: question.id, p_answer: "North" });
  expect(ok(await waiting)).toMatchObject({
    job: { id: payload.id, attempt: 2, questions: [{ effective_answer: "North" }] },
  });
});

it("Questions that users ask about ideas can be listed and answered over the tools", async () => {
  const { agent } = await connectBoth(stage);
  await createProduct(stage, "USERS");
  const idea = ok(await agent.call("create_idea", { product_id: "USERS", title: "Idea" }));
  await t.database.callAs({ user_id: ada.id }, "ask_about_idea", { p_idea_id: idea.id, p_question: "How long?" });
  const listed = ok(await agent.call("list_open_user_questions", { product_id: "USERS" }));
  const [open] = listOf(listed.user_questions);
  const answer = { user_question_id: open, answer: "A day" };
  expect(ok(await agent.call("answer_user_question", answer))).toMatchObject({ status: "answered" });
});

it("A PBI's pull request can be linked and marked as merged over the tools", async () => {
  const { agent } = await connectBoth(stage);
  await createProduct(stage, "PRS");
  const named = { pbi_id: "PBI-1", product_id: "PRS" };
  expect(ok(await agent.call("set_pbi_pr", { ...named, pr_url: "https://example.com/1" }))).toMatchObject({
    pr_url: "https://example.com/1",
    pr_merged_at: null,
  });
  expect(ok(await agent.call("mark_pbi_pr_merged", named))).toMatchObject({ pr_merged_at: expect.any(String) });
  const bad = { ...named, pr_url: "javascript:alert(1)" };
  expect(await agent.call("set_pbi_pr", bad)).toMatchObject({ isError: true, result: { code: 422 } });
});
