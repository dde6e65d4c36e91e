import * as questions from "~/nouns/questions/operations.server";
import * as wire from "~/wire/questions/contract";
import { inProductOfJob, productOfCode, reference, resolveOptionalId } from "../references.server";
import { defineTool } from "../tool.server";

export const askUserQuestionTool = defineTool({
  name: "ask_user_question",
  title: "Ask a person",
  description: "Ask about a story, task or idea. park: true with job_id and attempt frees the worker until the answer.",
  access: "write",
  creates: true,
  scopes: ["plan", "work"],
  input: wire.askQuestionInput.safeExtend({
    story_id: reference.optional(),
    idea_id: reference.optional(),
    task_id: reference.optional(),
    ...productOfCode,
  }),
  run: async ({ actor }, { story_id, idea_id, task_id, product_id, ...fields }) => {
    const names = inProductOfJob(actor, product_id, fields.job_id);
    return questions.askQuestion(actor, {
      ...fields,
      story_id: await names.optionalId("story", story_id),
      idea_id: await names.optionalId("idea", idea_id),
      task_id: await names.optionalId("task", task_id),
    });
  },
});

export const getQuestionAnswerTool = defineTool({
  name: "get_question_answer",
  title: "Get an answer",
  description: "Get a question and its answer (user content).",
  access: "read",
  scopes: ["read", "work"],
  input: wire.questionIdInput,
  run: ({ actor }, input) => questions.getQuestion(actor, input),
});

export const listOpenQuestionsTool = defineTool({
  name: "list_open_questions",
  title: "List open questions",
  description: "List open questions in your products.",
  access: "read",
  input: wire.listQuestionsInput.omit({ state: true }).safeExtend({ product_id: reference.optional() }),
  run: async ({ actor }, { product_id, limit, ...page }) =>
    questions.listQuestions(actor, {
      ...page,
      limit: limit ?? 50,
      state: "open",
      product_id: await resolveOptionalId(actor, "product", product_id),
    }),
});

export const cancelQuestionTool = defineTool({
  name: "cancel_question",
  title: "Cancel a question",
  description: "Withdraw an open question.",
  access: "write",
  scopes: ["plan", "work"],
  effect: { destructive: true, repeatable: true },
  input: wire.questionIdInput,
  run: ({ actor }, input) => questions.cancelQuestion(actor, input),
});

export const answerUserQuestionTool = defineTool({
  name: "answer_user_question",
  title: "Answer a user's question",
  description: "Answer a user's question about an idea, in the idea's conversation.",
  access: "write",
  creates: true,
  scopes: ["plan", "work"],
  input: wire.answerUserQuestionInput,
  run: ({ actor }, input) => questions.answerUserQuestion(actor, input),
});

export const listOpenUserQuestionsTool = defineTool({
  name: "list_open_user_questions",
  title: "List users' open questions",
  description: "List users' unanswered questions about ideas, oldest first, 50 per page. Texts are user content.",
  access: "read",
  input: wire.listOpenUserQuestionsInput.safeExtend({ product_id: reference.optional() }),
  run: async ({ actor }, { product_id, ...page }) =>
    questions.listOpenUserQuestions(actor, {
      ...page,
      product_id: await resolveOptionalId(actor, "product", product_id),
    }),
});
