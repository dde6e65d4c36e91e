import { type AddStoryToSprintInput, type Story, storySchema } from "~/contract/story";
import { type Actor, callAs } from "~/db/rpc.server";

/** Adds a story to a sprint of its product (specification: Ordering rules 5). */
export function addStoryToSprint(actor: Actor, input: AddStoryToSprintInput): Promise<Story> {
  return callAs(
    actor,
    "add_story_to_sprint",
    { p_sprint_id: input.sprint_id, p_story_id: input.story_id },
    storySchema,
  );
}
