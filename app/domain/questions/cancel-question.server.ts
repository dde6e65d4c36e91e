import { type AgentQuestion, agentQuestionSchema, type QuestionIdInput } from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** An agent takes an open question back (specification: Agent question). */
export function cancelQuestion(actor: Actor, input: QuestionIdInput): Promise<AgentQuestion> {
  return callAs(
    actor,
    "cancel_question",
    { p_question_id: input.question_id },
    agentQuestionSchema,
  );
}
