import {
  type AnswerUserQuestionInput,
  type UserQuestion,
  userQuestionSchema,
} from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** The worker answers a user question (specification: User question). */
export function answerUserQuestion(
  actor: Actor,
  input: AnswerUserQuestionInput,
): Promise<UserQuestion> {
  return callAs(
    actor,
    "answer_user_question",
    { p_user_question_id: input.user_question_id, p_answer: input.answer },
    userQuestionSchema,
  );
}
