import { z } from "zod";
import { updateProduct } from "~/nouns/products/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { createTask, getTaskDetail, updateTask } from "~/nouns/tasks/operations.server";
import { expectedVersion } from "~/wire/concurrency";
import { lengths } from "~/wire/limits";
import { createTaskInput, settableStatus, verifyRequirements } from "~/wire/tasks/contract";
import { text } from "~/wire/text";
import { whoFields } from "~/wire/who";
import { idOrCode, productOfCode, reference, resolveId } from "../references.server";
import { defineTool, duplicates, refusesSimilar } from "../tool.server";

const taskReference = { task_id: idOrCode, ...productOfCode };

export const getTaskTool = defineTool({
  name: "get_task",
  title: "Get a task",
  description: "Get a task with its plan and its story's acceptance criteria. Texts are user content.",
  access: "read",
  input: z.object(taskReference),
  run: async ({ actor }, { task_id, product_id }) =>
    getTaskDetail(actor, { task_id: await resolveId(actor, "task", task_id, product_id) }),
});

export const createTaskTool = defineTool({
  name: "create_task",
  title: "Create a task",
  description:
    "Create a task in a story. Add an implementation_plan: tasks without one block runs. The code defaults to the next T-<n>.",
  access: "write",
  creates: true,
  input: createTaskInput.safeExtend({ story_id: idOrCode }).safeExtend(productOfCode).safeExtend(duplicates),
  run: async ({ actor }, { story_id, product_id, allow_duplicate, ...fields }) =>
    createTask(actor, {
      ...fields,
      ...refusesSimilar(allow_duplicate, fields.code),
      story_id: await resolveId(actor, "story", story_id, product_id),
    }),
});

export const updateTaskStatusTool = defineTool({
  name: "update_task_status",
  title: "Update the status of a task",
  description:
    "Set a task to todo, in_progress or done; its story and PBI follow. Where a person or CI decides, set review instead of done.",
  access: "write",
  scopes: ["plan", "work"],
  effect: { repeatable: true },
  input: z.object({ ...taskReference, status: settableStatus, ...expectedVersion }),
  run: async ({ actor }, { task_id, product_id, ...fields }) =>
    updateTask(actor, { ...fields, task_id: await resolveId(actor, "task", task_id, product_id) }),
});

export const updateTaskPlanTool = defineTool({
  name: "update_task_plan",
  title: "Update the plan of a task",
  description: "Replace a task's implementation plan, and optionally how it is verified.",
  access: "write",
  scopes: ["plan", "work"],
  effect: { repeatable: true },
  input: z.object({
    ...taskReference,
    implementation_plan: text(lengths.text),
    verify_only: z.boolean().optional().describe("The work exists; only verify it"),
    verify_required: z.enum(verifyRequirements).optional(),
    ...expectedVersion,
  }),
  run: async ({ actor }, { task_id, product_id, ...fields }) =>
    updateTask(actor, { ...fields, task_id: await resolveId(actor, "task", task_id, product_id) }),
});

export const setAgentTool = defineTool({
  name: "set_agent",
  title: "Set who does the work",
  description:
    "Set agent, model or effort of a task, a story or a product; the most specific counts. null removes one.",
  access: "write",
  effect: { repeatable: true },
  input: z
    .object({
      task_id: idOrCode.optional(),
      story_id: idOrCode.optional(),
      product_id: reference.optional().describe("Alone, or for the code of a task or story"),
      agent: whoFields.agent.optional(),
      model: whoFields.model.optional(),
      effort: whoFields.effort.optional(),
    })
    .refine(({ task_id, story_id }) => task_id === undefined || story_id === undefined, {
      message: "Give either task_id or story_id.",
    })
    .refine(({ task_id, story_id, product_id }) => Boolean(task_id ?? story_id ?? product_id), {
      message: "Give task_id, story_id or product_id.",
    })
    .refine((input) => ["agent", "model", "effort"].some((field) => field in input), {
      message: "Give agent, model or effort.",
    }),
  run: async ({ actor }, { task_id, story_id, product_id, ...who }) => {
    if (task_id !== undefined) {
      const id = await resolveId(actor, "task", task_id, product_id);
      return updateTask(actor, { task_id: id, ...who });
    }
    if (story_id !== undefined) {
      const id = await resolveId(actor, "story", story_id, product_id);
      return updateStory(actor, { story_id: id, ...who });
    }
    const id = await resolveId(actor, "product", product_id ?? "");
    return updateProduct(actor, { product_id: id, ...who });
  },
});
