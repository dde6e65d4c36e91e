import { type AskAboutIdeaInput, type UserQuestion, userQuestionSchema } from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** A user asks about an idea; a PLAN_CHAT job carries it to a worker (specification: User question). */
export function askAboutIdea(actor: Actor, input: AskAboutIdeaInput): Promise<UserQuestion> {
  return callAs(
    actor,
    "ask_about_idea",
    { p_idea_id: input.idea_id, p_question: input.question },
    userQuestionSchema,
  );
}
