import { type CreateStoryInput, type Story, storySchema } from "~/contract/story";
import { type Actor, callAs } from "~/db/rpc.server";

/** Creates a story (specification: Story, Entity codes). */
export function createStory(actor: Actor, input: CreateStoryInput): Promise<Story> {
  return callAs(
    actor,
    "create_story",
    {
      p_pbi_id: input.pbi_id,
      p_title: input.title,
      p_description: input.description,
      p_acceptance_criteria: input.acceptance_criteria,
      p_code: input.code,
      p_priority: input.priority,
      p_sprint_id: input.sprint_id,
      p_assignee_id: input.assignee_id,
      p_blocked_by: input.blocked_by,
    },
    storySchema,
  );
}
