import {
  type AppendStoryLogInput,
  type StoryLogReceipt,
  storyLogReceiptSchema,
} from "~/contract/story-log";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** Adds an entry to the log of a story (specification: POST /api/stories/:id/log). */
export function appendStoryLog(actor: Actor, input: AppendStoryLogInput): Promise<StoryLogReceipt> {
  return callAs(actor, "append_story_log", appendStoryLogArguments(input), storyLogReceiptSchema);
}

/** The same, as the JSON text that the database made. */
export function appendStoryLogJson(actor: Actor, input: AppendStoryLogInput): Promise<string> {
  return callAsRaw(actor, "append_story_log", appendStoryLogArguments(input));
}

function appendStoryLogArguments(input: AppendStoryLogInput) {
  return {
    p_story_id: input.story_id,
    p_type: input.type,
    p_content: input.content,
    p_status: input.status,
    p_commit_hash: input.commit_hash,
    p_commit_message: input.commit_message,
    p_metadata: input.metadata,
  };
}
