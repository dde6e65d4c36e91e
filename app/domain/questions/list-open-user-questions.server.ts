import {
  type ListOpenUserQuestionsInput,
  type UserQuestionList,
  userQuestionListSchema,
} from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** The caller's user questions without an answer, oldest first (specification: User question). */
export function listOpenUserQuestions(
  actor: Actor,
  input: ListOpenUserQuestionsInput,
): Promise<UserQuestionList> {
  return callAs(
    actor,
    "list_open_user_questions",
    { p_product_id: input.product_id, p_limit: input.limit, p_cursor: input.cursor },
    userQuestionListSchema,
  );
}
