import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";
import { refuseSimilar } from "~/wire/concurrency";
import * as wire from "~/wire/tasks/contract";
import { idSchema } from "~/wire/text";

/** Creates a task (specification: Task, Entity codes). */
export const createTask = operation(
  "create_task",
  wire.createTaskInput.safeExtend(refuseSimilar),
  wire.taskDetailSchema,
);

/** Creates one task of each open story without any, with its title and description. */
export const makeStoryTasks = operation(
  "make_story_tasks",
  z.object({ product_id: idSchema, story_ids: z.array(idSchema).min(1).max(500) }),
  z.object({ made: z.int() }),
);

export const deleteTask = operation("delete_task", wire.taskIdInput, z.object({ id: z.string() }));

/** Edits any field of a task, for people (specification: Task). */
export const editTask = patchOperation(
  "edit_task",
  wire.editTaskInput,
  { own: ["task_id"], rest: "changes" },
  wire.editedTaskSchema,
);

/** A task in detail (specification: GET /api/tasks/:id). */
export const getTaskDetail = operation("get_task_detail", wire.taskIdInput, wire.taskDetailSchema);

/** Moves a task to another story; it keeps its code (specification: Entity codes 5). */
export const moveTask = operation("move_task", wire.moveTaskInput, wire.taskDetailSchema);

/** Moves a task on the board, review included (specification: States and transitions, Task). */
export const setTaskStatus = operation("set_task_status", wire.setTaskStatusInput, wire.movedTaskSchema);

/** Changes a task's status or plan, for agents (specification: PATCH /api/tasks/:id). */
export const updateTask = patchOperation(
  "update_task",
  wire.updateTaskInput,
  {
    own: [
      ...(["task_id", "status", "implementation_plan", "verify_only", "verify_required"] as const),
      ...(["labels", "expected_version"] as const),
    ],
    rest: "who",
  },
  wire.updatedTaskSchema,
);
