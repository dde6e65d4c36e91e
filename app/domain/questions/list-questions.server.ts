import {
  type AgentQuestionPage,
  agentQuestionPageSchema,
  type ListQuestionsInput,
} from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** Questions in reach by state, newest first (specification: Agent question). */
export function listQuestions(actor: Actor, input: ListQuestionsInput): Promise<AgentQuestionPage> {
  return callAs(
    actor,
    "list_questions",
    {
      p_product_id: input.product_id,
      p_state: input.state,
      p_job_id: input.job_id,
      p_limit: input.limit,
      p_cursor: input.cursor,
    },
    agentQuestionPageSchema,
  );
}
