import { type CreateTaskInput, type TaskDetail, taskDetailSchema } from "~/contract/task";
import { type Actor, callAs } from "~/db/rpc.server";

/** Creates a task (specification: Task, Entity codes). */
export function createTask(actor: Actor, input: CreateTaskInput): Promise<TaskDetail> {
  return callAs(
    actor,
    "create_task",
    {
      p_story_id: input.story_id,
      p_title: input.title,
      p_description: input.description,
      p_code: input.code,
      p_implementation_plan: input.implementation_plan,
      p_priority: input.priority,
      p_repo_url: input.repo_url,
      p_verify_only: input.verify_only,
      p_verify_required: input.verify_required,
      p_requires_opus: input.requires_opus,
      p_estimated_minutes: input.estimated_minutes,
      p_blocked_by: input.blocked_by,
    },
    taskDetailSchema,
  );
}
