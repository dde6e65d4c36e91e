import {
  type AgentQuestion,
  type AskQuestionInput,
  agentQuestionSchema,
} from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** An agent asks a user; with `park` its job waits without a worker (specification: Agent question). */
export function askQuestion(actor: Actor, input: AskQuestionInput): Promise<AgentQuestion> {
  return callAs(
    actor,
    "ask_question",
    {
      p_question: input.question,
      p_story_id: input.story_id,
      p_idea_id: input.idea_id,
      p_task_id: input.task_id,
      p_options: input.options,
      p_recommended_option: input.recommended_option,
      p_assignee_id: input.assignee_id,
      p_expires_in_seconds: input.expires_in_seconds,
      p_on_expiry: input.on_expiry,
      p_escalate_to: input.escalate_to,
      p_park: input.park,
      p_job_id: input.job_id,
      p_attempt: input.attempt,
    },
    agentQuestionSchema,
  );
}
