import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { sprintTasksLimit } from "~/contract/limits";
import {
  agentContextSchema,
  backlogSchema,
  nextStorySchema,
  productSchema,
} from "~/contract/product";
import {
  addEvidenceBody,
  evidenceSchema,
  storyProofSchema,
  waiveCriterionBody,
} from "~/contract/proof";
import { sprintTaskSchema, sprintTasksQuery } from "~/contract/sprint";
import { storySchema } from "~/contract/story";
import { storyLogBody, storyLogReceiptSchema } from "~/contract/story-log";
import { taskDetailSchema, taskSchema, updatedTaskSchema, updateTaskBody } from "~/contract/task";
import { operation } from "./operation.server";

const limit = sprintTasksQuery.shape.limit.meta({
  override: {
    type: "integer",
    minimum: 1,
    maximum: sprintTasksLimit.max,
    default: sprintTasksLimit.default,
  },
});

const reads = [401, 403, 404, 405, 500] as const;
const writes = [400, 401, 403, 404, 405, 413, 422, 500] as const;

/** Products, sprints, stories and tasks (specification: Endpoints). */
export const backlogPaths: ZodOpenApiPathsObject = {
  "/api/products": {
    get: operation({
      id: "listProducts",
      summary: "Products of the caller",
      security: "token",
      answer: z.array(productSchema),
      errors: [401, 405, 500],
    }),
  },
  "/api/products/{id}/agent-context": {
    get: operation({
      id: "getAgentContext",
      summary: "Product, active sprint, next story and open ideas in one answer",
      security: "token",
      idParam: "id",
      answer: agentContextSchema,
      errors: reads,
    }),
  },
  "/api/products/{id}/next-story": {
    get: operation({
      id: "getNextStory",
      summary: "First open story of the active sprint",
      security: "token",
      idParam: "id",
      answer: nextStorySchema,
      errors: reads,
    }),
  },
  "/api/products/{id}/backlog": {
    get: operation({
      id: "getBacklog",
      summary: "Snapshot of a backlog",
      security: "token or session",
      idParam: "id",
      answer: backlogSchema,
      errors: reads,
    }),
  },
  "/api/sprints/{id}/tasks": {
    get: operation({
      id: "listSprintTasks",
      summary: "Tasks of a sprint in their order",
      security: "token",
      idParam: "id",
      query: z.object({ limit }),
      answer: z.array(sprintTaskSchema),
      errors: [401, 403, 404, 405, 422, 500],
    }),
  },
  "/api/pbis/{id}/stories": {
    get: operation({
      id: "listPbiStories",
      summary: "Stories of a PBI",
      security: "token or session",
      idParam: "id",
      answer: z.array(storySchema),
      errors: reads,
    }),
  },
  "/api/stories/{id}/tasks": {
    get: operation({
      id: "listStoryTasks",
      summary: "Tasks of a story",
      security: "token or session",
      idParam: "id",
      answer: z.array(taskSchema),
      errors: reads,
    }),
  },
  "/api/stories/{id}/evidence": {
    get: operation({
      id: "getStoryEvidence",
      summary: "The criteria of a story, how each stands and what proves it",
      security: "token or session",
      idParam: "id",
      answer: storyProofSchema,
      errors: reads,
    }),
    post: operation({
      id: "addStoryEvidence",
      summary: "Adds evidence for one criterion: a person's word by session, an agent's by token",
      security: "token or session",
      idParam: "id",
      body: addEvidenceBody,
      status: 201,
      answer: evidenceSchema,
      errors: [...writes, 409],
    }),
  },
  "/api/stories/{id}/waivers": {
    post: operation({
      id: "waiveStoryCriterion",
      summary: "Lets one criterion go for good, with the reason; people who are signed in only",
      security: "session",
      idParam: "id",
      body: waiveCriterionBody,
      status: 201,
      answer: storyProofSchema,
      errors: [...writes, 409],
    }),
  },
  "/api/stories/{id}/log": {
    post: operation({
      id: "appendStoryLog",
      summary: "Add an entry to the log of a story",
      security: "token",
      idParam: "id",
      body: storyLogBody,
      status: 201,
      answer: storyLogReceiptSchema,
      errors: [...writes, 429],
    }),
  },
  "/api/tasks/{id}": {
    get: operation({
      id: "getTask",
      summary: "Task in detail",
      security: "token or session",
      idParam: "id",
      answer: taskDetailSchema,
      errors: reads,
    }),
    patch: operation({
      id: "updateTask",
      summary: "Change the status or the plan of a task",
      security: "token",
      idParam: "id",
      body: updateTaskBody,
      answer: updatedTaskSchema,
      errors: writes,
    }),
  },
};
