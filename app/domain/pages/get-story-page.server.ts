import { storyPageSchema } from "~/contract/page-data";
import { type Actor, callAs } from "~/db/rpc.server";

/** Everything about one story. */
export function getStoryPage(actor: Actor, storyId: string) {
  return callAs(actor, "get_story_page", { p_story_id: storyId }, storyPageSchema);
}
