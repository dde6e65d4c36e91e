import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import { operation, patchOperation } from "~/nouns/operation.server";
import { startOverInput, startOverSchema } from "~/wire/agent-jobs/beginning";
import { refuseSimilar } from "~/wire/concurrency";
import * as wire from "~/wire/stories/contract";
import { taskSchema } from "~/wire/tasks/contract";
import type { ListItem } from "./pasted-list";

/** Adds a story to a sprint of its product (specification: Ordering rules 5). */
export const addStoryToSprint = operation("add_story_to_sprint", wire.addStoryToSprintInput, wire.storyWithWhoSchema);

/** Assigns a story to a member, or to no one (specification: Story). */
export const assignStory = operation("assign_story", wire.assignStoryInput, wire.storyWithWhoSchema);

/** Creates a story (specification: Story, Entity codes). */
export const createStory = operation(
  "create_story",
  wire.createStoryInput.safeExtend(refuseSimilar),
  wire.storyWithWhoSchema,
);

/** Deletes a story with its tasks and log. */
export const deleteStory = operation("delete_story", wire.storyIdInput, z.object({ id: z.string() }));

/** One story with PBI, sprint, tasks and log (specification: Story). */
export const getStory = operation("get_story", wire.storyIdInput, wire.storyDetailSchema);

/** Tasks of a story in order (specification: GET /api/stories/:id/tasks). */
export const listStoryTasks = operation("list_story_tasks", wire.storyIdInput, z.array(taskSchema));

/** Moves a story back to the backlog (specification: Ordering rules 2). */
export const removeStoryFromSprint = operation("remove_story_from_sprint", wire.storyIdInput, wire.storyWithWhoSchema);

/** Edits a story; a new code gives it a new sort_order (specification: Ordering rules 2). */
export const updateStory = patchOperation(
  "update_story",
  wire.updateStoryInput,
  { own: ["story_id"], rest: "changes" },
  wire.storyWithWhoSchema,
);

/** Adds an entry to the log of a story (specification: POST /api/stories/:id/log). */
export const appendStoryLog = operation("append_story_log", wire.appendStoryLogInput, wire.storyLogReceiptSchema);

/** Makes the next run of a story, or of all stories of a sprint, start over from main; people only. */
export const startOver = operation("start_over", startOverInput, startOverSchema);

/** A product's triage, oldest first, and where its stories can go. */
export const listTriage = operation("list_triage", z.object({ product_id: z.string() }), wire.triageSchema);

/** Moves a story from triage into the backlog; people only. */
export const acceptStory = operation("accept_story", wire.acceptStoryInput, wire.storyWithWhoSchema);

/** Merges a story in triage into one of the backlog; people only. */
export const mergeStory = operation("merge_story", wire.mergeStoryInput, wire.storyWithWhoSchema);

/** Removes a story from triage; people only. */
export const declineStory = operation("decline_story", wire.storyIdInput, z.object({ id: z.string() }));

const madeSchema = z.object({ stories: z.array(z.string()), tasks: z.array(z.string()) });

/** Creates the items of a pasted list, all or none: stories with tasks in a PBI, or tasks in a story. */
export function createFromList(
  actor: Actor,
  into: { pbi_id: string } | { story_id: string },
  items: readonly ListItem[],
) {
  const place = "pbi_id" in into ? { p_pbi_id: into.pbi_id } : { p_story_id: into.story_id };
  return callAs(actor, "create_from_list", { p_items: items, ...place }, madeSchema);
}
