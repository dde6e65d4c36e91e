import { type MovedStories, type MoveStoriesInput, movedStoriesSchema } from "~/contract/story";
import { type Actor, callAs } from "~/db/rpc.server";

/** Moves stories into a sprint or out of theirs, all of them or none. */
export function moveStories(actor: Actor, input: MoveStoriesInput): Promise<MovedStories> {
  return callAs(
    actor,
    "move_stories",
    { p_story_ids: input.story_ids, p_sprint_id: input.sprint_id ?? undefined },
    movedStoriesSchema,
  );
}
