import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import {
  addDependencyBody,
  type DependencyKind,
  dependenciesSchema,
  readyQuery,
  readyTaskSchema,
} from "~/contract/dependency";
import { readyLimit } from "~/contract/limits";
import { operation } from "./operation.server";

const writes = [400, 401, 403, 404, 405, 409, 413, 422, 500] as const;

const limit = readyQuery.shape.limit.meta({
  override: { type: "integer", minimum: 1, maximum: readyLimit.max, default: readyLimit.default },
});

/** What waits for what, and what can start now. */
export const dependencyPaths: ZodOpenApiPathsObject = {
  ...pathsOf("task", "/api/tasks", "Task"),
  ...pathsOf("story", "/api/stories", "Story"),
  "/api/products/{id}/ready": {
    get: operation({
      id: "listReady",
      summary: "Tasks that wait for nothing",
      security: "token or session",
      idParam: "id",
      query: z.object({ limit }),
      answer: z.array(readyTaskSchema),
      errors: [401, 403, 404, 405, 422, 500],
    }),
  },
};

function pathsOf(kind: DependencyKind, address: string, noun: string): ZodOpenApiPathsObject {
  return {
    [`${address}/{id}/dependencies`]: {
      get: operation({
        id: `list${noun}Dependencies`,
        summary: `What a ${kind} waits for, and what waits for it`,
        security: "token or session",
        idParam: "id",
        answer: dependenciesSchema,
        errors: [401, 403, 404, 405, 500],
      }),
      post: operation({
        id: `add${noun}Dependency`,
        summary: `Let a ${kind} wait for another; a circle is refused with its path`,
        security: "token",
        idParam: "id",
        body: addDependencyBody,
        status: 201,
        answer: dependenciesSchema,
        errors: [...writes, 429],
      }),
    },
    [`${address}/{id}/dependencies/{blocker}`]: {
      delete: operation({
        id: `remove${noun}Dependency`,
        summary: `Let a ${kind} wait for another no more; fine when it did not`,
        security: "token",
        idParam: "id",
        referenceParam: "blocker",
        status: 204,
        answer: "nothing",
        errors: [401, 403, 404, 405, 500],
      }),
    },
  };
}
