import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";
import { productIdInput } from "~/wire/products/contract";
import {
  createSprintWithInput,
  getSprintContextInput,
  listSprintTasksInput,
  sprintBoardSchema,
  sprintContextSchema,
  sprintIdInput,
  sprintOverviewSchema,
  sprintSchema,
  sprintTaskSchema,
  updateSprintInput,
} from "~/wire/sprints/contract";

/** Cancels a planned sprint; its stories leave it (specification: States and transitions, Sprint). */
export const cancelSprint = operation("cancel_sprint", sprintIdInput, sprintSchema);

/** Completes the active sprint; unfinished stories leave it (specification: States and transitions, Sprint). */
export const completeSprint = operation("complete_sprint", sprintIdInput, sprintSchema);

/** Creates a planned sprint (specification: Sprint). */
export const createSprint = operation("create_sprint", createSprintWithInput, sprintSchema);

/** A sprint with stories and tasks, for agents. */
export const getSprintContext = operation("get_sprint_context", getSprintContextInput, sprintContextSchema);

/** Content of the sprint board (specification: Sprint). */
export const getSprint = operation("get_sprint", sprintIdInput, sprintBoardSchema);

/** The first tasks of a sprint (specification: GET /api/sprints/:id/tasks). */
export const listSprintTasks = operation("list_sprint_tasks", listSprintTasksInput, z.array(sprintTaskSchema));

/** Sprints of a product, newest first (specification: Sprint). */
export const listSprints = operation("list_sprints", productIdInput, z.array(sprintOverviewSchema));

/** Starts a planned sprint; a product has at most one active (specification: States and transitions, Sprint). */
export const startSprint = operation("start_sprint", sprintIdInput, sprintSchema);

/** Edits a sprint's goal and dates (specification: Sprint). */
export const updateSprint = patchOperation(
  "update_sprint",
  updateSprintInput,
  { own: ["sprint_id"], rest: "changes" },
  sprintSchema,
);
