import { type Story, storySchema, type UpdateStoryInput } from "~/contract/story";
import { type Actor, callAs } from "~/db/rpc.server";

/** Edits a story; a new code brings a new sort_order (specification: Ordering rules 2). */
export function updateStory(
  actor: Actor,
  { story_id, ...changes }: UpdateStoryInput,
): Promise<Story> {
  return callAs(actor, "update_story", { p_story_id: story_id, p_changes: changes }, storySchema);
}
