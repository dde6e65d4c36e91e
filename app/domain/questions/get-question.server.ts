import { type AgentQuestion, agentQuestionSchema, type QuestionIdInput } from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** One question with its answer (specification: Agent question). */
export function getQuestion(actor: Actor, input: QuestionIdInput): Promise<AgentQuestion> {
  return callAs(actor, "get_question", { p_question_id: input.question_id }, agentQuestionSchema);
}
