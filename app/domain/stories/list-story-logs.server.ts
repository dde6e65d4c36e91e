import {
  type ListStoryLogsInput,
  type StoryLogPage,
  storyLogPageSchema,
} from "~/contract/story-log";
import { type Actor, callAs } from "~/db/rpc.server";

/** Log of a story, newest first (specification: Story log entry). */
export function listStoryLogs(actor: Actor, input: ListStoryLogsInput): Promise<StoryLogPage> {
  return callAs(
    actor,
    "list_story_logs",
    { p_story_id: input.story_id, p_limit: input.limit, p_cursor: input.cursor },
    storyLogPageSchema,
  );
}
