import { z } from "zod";
import { createLabel, listLabels } from "~/nouns/labels/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { createLabelBody, labelNamesSchema } from "~/wire/labels/contract";
import { idOrCode, productOfCode, resolveId } from "../references.server";
import { defineTool } from "../tool.server";

export const listLabelsTool = defineTool({
  name: "list_labels",
  title: "List labels",
  description: "List a product's labels.",
  access: "read",
  input: z.object({ product_id: idOrCode }),
  run: async ({ actor }, { product_id }) =>
    listLabels(actor, { product_id: await resolveId(actor, "product", product_id) }),
});

export const createLabelTool = defineTool({
  name: "create_label",
  title: "Create a label",
  description: "Create a label. Names are unique, ignoring case.",
  access: "write",
  creates: true,
  input: createLabelBody.extend({ product_id: idOrCode }),
  run: async ({ actor }, { product_id, ...fields }) =>
    createLabel(actor, { ...fields, product_id: await resolveId(actor, "product", product_id) }),
});

export const setLabelsTool = defineTool({
  name: "set_labels",
  title: "Set the labels of a story or task",
  description: "Replace the labels of a story or task. An empty list removes all. create_label is at /mcp/all.",
  access: "write",
  effect: { repeatable: true },
  input: z
    .object({ story_id: idOrCode.optional(), task_id: idOrCode.optional(), labels: labelNamesSchema, ...productOfCode })
    .refine(({ story_id, task_id }) => (story_id === undefined) !== (task_id === undefined), {
      message: "Give either story_id or task_id.",
    }),
  run: async ({ actor }, { story_id, task_id, product_id, labels }) =>
    task_id === undefined
      ? updateStory(actor, { story_id: await resolveId(actor, "story", story_id ?? "", product_id), labels })
      : updateTask(actor, { task_id: await resolveId(actor, "task", task_id, product_id), labels }),
});
