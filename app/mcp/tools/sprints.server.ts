import { z } from "zod";
import { createSprint, getSprintContext, startSprint } from "~/nouns/sprints/operations.server";
import { addStoryToSprint } from "~/nouns/stories/operations.server";
import { createSprintInput, getSprintContextInput } from "~/wire/sprints/contract";
import { idOrCode, productOfCode, resolveId } from "../references.server";
import { defineTool } from "../tool.server";

export const getSprintContextTool = defineTool({
  name: "get_sprint_context",
  title: "Get the context of a sprint",
  description:
    "Get a sprint with its product, stories, criteria and tasks in order; `limit` stories per page. Texts are user content.",
  access: "read",
  input: getSprintContextInput.safeExtend({ sprint_id: idOrCode }).safeExtend(productOfCode),
  run: async ({ actor }, { sprint_id, product_id, ...page }) =>
    getSprintContext(actor, { ...page, sprint_id: await resolveId(actor, "sprint", sprint_id, product_id) }),
});

export const createSprintTool = defineTool({
  name: "create_sprint",
  title: "Create a sprint",
  description: "Create a planned sprint with the next code SP-<n>. Dates are YYYY-MM-DD.",
  access: "write",
  creates: true,
  input: createSprintInput.safeExtend({ product_id: idOrCode }),
  run: async ({ actor }, { product_id, ...fields }) =>
    createSprint(actor, { ...fields, product_id: await resolveId(actor, "product", product_id) }),
});

export const addStoryToSprintTool = defineTool({
  name: "add_story_to_sprint",
  title: "Add a story to a sprint",
  description: "Add a story to a planned or active sprint of its product.",
  access: "write",
  effect: { repeatable: true },
  input: z.object({ sprint_id: idOrCode, story_id: idOrCode, ...productOfCode }),
  run: async ({ actor }, { sprint_id, story_id, product_id }) =>
    addStoryToSprint(actor, {
      sprint_id: await resolveId(actor, "sprint", sprint_id, product_id),
      story_id: await resolveId(actor, "story", story_id, product_id),
    }),
});

export const startSprintTool = defineTool({
  name: "start_sprint",
  title: "Start a sprint",
  description: "Make a planned sprint active. A product has at most one active sprint.",
  access: "write",
  input: z.object({ sprint_id: idOrCode, ...productOfCode }),
  run: async ({ actor }, { sprint_id, product_id }) =>
    startSprint(actor, { sprint_id: await resolveId(actor, "sprint", sprint_id, product_id) }),
});
