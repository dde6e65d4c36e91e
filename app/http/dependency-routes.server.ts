import { addDependencyBody, type DependencyKind } from "~/nouns/dependencies/contract";
import {
  addDependency,
  listDependencies,
  removeDependency,
} from "~/nouns/dependencies/operations.server";
import { apiRoute } from "./api-route.server";
import { operationEndpoint } from "./operation-endpoint.server";

const nouns: Record<DependencyKind, string> = { task: "Task", story: "Story" };

/** Route that lists and adds dependencies, for tasks and stories alike. */
export function dependenciesRoute(kind: DependencyKind) {
  return apiRoute({
    GET: operationEndpoint(listDependencies, {
      name: `list${nouns[kind]}Dependencies`,
      summary: `List what blocks a ${kind}, and what it blocks`,
      input: ({ id }) => ({ kind, id }),
    }),
    POST: operationEndpoint(addDependency, {
      name: `add${nouns[kind]}Dependency`,
      summary: `Add a blocker to a ${kind}; a cycle is rejected with its path`,
      auth: "bearer",
      body: addDependencyBody,
      status: 201,
      refusals: [409, 429],
      input: ({ id, body }) => ({ kind, id, ...body }),
    }),
  });
}

export function dependencyRoute(kind: DependencyKind) {
  return apiRoute({
    DELETE: operationEndpoint(removeDependency, {
      name: `remove${nouns[kind]}Dependency`,
      summary: `Remove a blocker from a ${kind}; succeeds if there is none`,
      auth: "bearer",
      status: 204,
      input: ({ id, params }) => ({ kind, id, blocker: params.blocker ?? "" }),
    }),
  });
}
