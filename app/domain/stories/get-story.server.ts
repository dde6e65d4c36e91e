import { type StoryDetail, type StoryIdInput, storyDetailSchema } from "~/contract/story";
import { type Actor, callAs } from "~/db/rpc.server";

/** One story with PBI, sprint, tasks and log (specification: Story). */
export function getStory(actor: Actor, input: StoryIdInput): Promise<StoryDetail> {
  return callAs(actor, "get_story", { p_story_id: input.story_id }, storyDetailSchema);
}
