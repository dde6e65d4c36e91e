import {
  type IdeaConversation,
  type IdeaToDiscussInput,
  ideaConversationSchema,
} from "~/contract/question";
import { type Actor, callAs } from "~/db/rpc.server";

/** What was asked about an idea (specification: Idea; User question). */
export function getIdeaConversation(
  actor: Actor,
  input: IdeaToDiscussInput,
): Promise<IdeaConversation> {
  return callAs(
    actor,
    "get_idea_conversation",
    { p_idea_id: input.idea_id },
    ideaConversationSchema,
  );
}
