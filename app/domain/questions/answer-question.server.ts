import {
  type AgentQuestion,
  type AnswerQuestionInput,
  agentQuestionSchema,
} from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** A user answers an open question (specification: Agent question). */
export function answerQuestion(actor: Actor, input: AnswerQuestionInput): Promise<AgentQuestion> {
  return callAs(
    actor,
    "answer_question",
    { p_question_id: input.question_id, p_answer: input.answer, p_option: input.option },
    agentQuestionSchema,
  );
}
