import { z } from "zod";
import { addDependency, listReady, removeDependency } from "~/nouns/dependencies/operations.server";
import { dependencyKinds } from "~/wire/dependencies/contract";
import { readyLimit } from "~/wire/limits";
import { idOrCode, productOfCode, reference, resolveId } from "../references.server";
import { defineTool } from "../tool.server";

const ends = {
  kind: z.enum(dependencyKinds).default("task"),
  id: reference.describe("Id or code of the blocked item"),
  blocked_by: reference.describe("Id or code of its blocker, of the same kind and product"),
  ...productOfCode,
};

export const addDependencyTool = defineTool({
  name: "add_dependency",
  title: "Add a dependency",
  description:
    "Block a task by a task, or a story by a story. Agents get blocked work only after the blocker is done. Cycles are rejected with their path.",
  access: "write",
  effect: { repeatable: true },
  input: z.object(ends),
  run: async ({ actor }, { kind, id, blocked_by, product_id }) =>
    addDependency(actor, { kind, id: await resolveId(actor, kind, id, product_id), blocked_by }),
});

export const removeDependencyTool = defineTool({
  name: "remove_dependency",
  title: "Remove a dependency",
  description: "Remove a blocker. Succeeds if there is none.",
  access: "write",
  effect: { repeatable: true },
  input: z.object(ends),
  run: async ({ actor }, { kind, id, blocked_by, product_id }) =>
    removeDependency(actor, { kind, id: await resolveId(actor, kind, id, product_id), blocker: blocked_by }),
});

export const listReadyTool = defineTool({
  name: "list_ready",
  title: "List what can start now",
  description:
    "List tasks to do that are not blocked, active sprint first. dispatchable: in the active sprint, with a plan.",
  access: "read",
  input: z.object({ product_id: idOrCode, limit: z.int().min(1).max(readyLimit.max).optional() }),
  run: async ({ actor }, { product_id, limit }) => ({
    tasks: await listReady(actor, { product_id: await resolveId(actor, "product", product_id), limit }),
  }),
});
