import { type StoryProof, storyProofSchema } from "~/contract/proof";
import type { StoryIdInput } from "~/contract/story";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** What proves the criteria of a story (docs/proof.md). */
export function getStoryProof(actor: Actor, { story_id }: StoryIdInput): Promise<StoryProof> {
  return callAs(actor, "get_proof", { p_story_id: story_id }, storyProofSchema);
}

/** The same, as the JSON text that the database made. */
export function getStoryProofJson(actor: Actor, { story_id }: StoryIdInput): Promise<string> {
  return callAsRaw(actor, "get_proof", { p_story_id: story_id });
}
