import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";
import { productIdInput } from "~/wire/products/contract";
import * as wire from "~/wire/sprints/contract";

/** Cancels a planned sprint; its stories leave it (specification: States and transitions, Sprint). */
export const cancelSprint = operation("cancel_sprint", wire.sprintIdInput, wire.sprintSchema);

/** Completes the active sprint; unfinished stories leave it (specification: States and transitions, Sprint). */
export const completeSprint = operation("complete_sprint", wire.completeSprintInput, wire.sprintSchema);

/** Creates a planned sprint (specification: Sprint). */
export const createSprint = operation("create_sprint", wire.createSprintWithInput, wire.sprintSchema);

/** A sprint with stories and tasks, for agents. */
export const getSprintContext = operation("get_sprint_context", wire.getSprintContextInput, wire.sprintContextSchema);

/** Content of the sprint board (specification: Sprint). */
export const getSprint = operation("get_sprint", wire.sprintIdInput, wire.sprintBoardSchema);

/** The first tasks of a sprint (specification: GET /api/sprints/:id/tasks). */
export const listSprintTasks = operation(
  "list_sprint_tasks",
  wire.listSprintTasksInput,
  z.array(wire.sprintTaskSchema),
);

/** Sprints of a product, newest first (specification: Sprint). */
export const listSprints = operation("list_sprints", productIdInput, z.array(wire.sprintOverviewSchema));

/** Starts a planned sprint; a product has at most one active (specification: States and transitions, Sprint). */
export const startSprint = operation("start_sprint", wire.sprintIdInput, wire.sprintSchema);

/** Edits a sprint's goal and dates (specification: Sprint). */
export const updateSprint = patchOperation(
  "update_sprint",
  wire.updateSprintInput,
  { own: ["sprint_id"], rest: "changes" },
  wire.sprintSchema,
);
