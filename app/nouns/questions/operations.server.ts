import { noInput, operation } from "~/nouns/operation.server";
import * as wire from "~/wire/questions/contract";

/** A user answers an open question (specification: Agent question). */
export const answerQuestion = operation("answer_question", wire.answerQuestionInput, wire.agentQuestionSchema);

/** The worker answers a user's question (specification: User question). */
export const answerUserQuestion = operation(
  "answer_user_question",
  wire.answerUserQuestionInput,
  wire.userQuestionSchema,
);

/** Asks about an idea; a PLAN_CHAT job takes the question to a worker (specification: User question). */
export const askAboutIdea = operation("ask_about_idea", wire.askAboutIdeaInput, wire.userQuestionSchema);

/** An agent asks a user; with `park`, its job waits without a worker (specification: Agent question). */
export const askQuestion = operation("ask_question", wire.askQuestionInput, wire.agentQuestionSchema);

/** An agent cancels its open question (specification: Agent question). */
export const cancelQuestion = operation("cancel_question", wire.questionIdInput, wire.agentQuestionSchema);

/** Open questions in the caller's products (specification: Notifications stream). */
export const getNotificationsState = operation("get_notifications_state", noInput, wire.notificationsStateSchema);

/** One question with its answer (specification: Agent question). */
export const getQuestion = operation("get_question", wire.questionIdInput, wire.agentQuestionSchema);

/** The caller's unanswered questions, oldest first (specification: User question). */
export const listOpenUserQuestions = operation(
  "list_open_user_questions",
  wire.listOpenUserQuestionsInput,
  wire.userQuestionListSchema,
);

/** Questions in the caller's products by state, newest first (specification: Agent question). */
export const listQuestions = operation("list_questions", wire.listQuestionsInput, wire.agentQuestionPageSchema);
