import { z } from "zod";
import { type ListSprintTasksInput, type SprintTask, sprintTaskSchema } from "~/contract/sprint";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** The first tasks of a sprint (specification: GET /api/sprints/:id/tasks). */
export function listSprintTasks(actor: Actor, input: ListSprintTasksInput): Promise<SprintTask[]> {
  return callAs(
    actor,
    "list_sprint_tasks",
    listSprintTasksArguments(input),
    z.array(sprintTaskSchema),
  );
}

/** The same, as the JSON text that the database made. */
export function listSprintTasksJson(actor: Actor, input: ListSprintTasksInput): Promise<string> {
  return callAsRaw(actor, "list_sprint_tasks", listSprintTasksArguments(input));
}

function listSprintTasksArguments(input: ListSprintTasksInput) {
  return { p_sprint_id: input.sprint_id, p_limit: input.limit };
}
