import { z } from "zod";
import type { StoryIdInput } from "~/contract/story";
import { type Task, taskSchema } from "~/contract/task";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** Tasks of a story in their order (specification: GET /api/stories/:id/tasks). */
export function listStoryTasks(actor: Actor, input: StoryIdInput): Promise<Task[]> {
  return callAs(actor, "list_story_tasks", listStoryTasksArguments(input), z.array(taskSchema));
}

/** The same, as the JSON text that the database made. */
export function listStoryTasksJson(actor: Actor, input: StoryIdInput): Promise<string> {
  return callAsRaw(actor, "list_story_tasks", listStoryTasksArguments(input));
}

function listStoryTasksArguments(input: StoryIdInput) {
  return { p_story_id: input.story_id };
}
