import { z } from "zod";
import { lengths } from "~/contract/limits";
import { text } from "~/contract/text";
import { expectedVersion } from "~/contract/version";
import { idOrCode, productOfCode, resolveId } from "~/mcp/references.server";
import { defineTool } from "~/mcp/tool.server";
import { verifyRequirements } from "./contract";
import { getTaskDetail, updateTask } from "./operations.server";

const taskReference = { task_id: idOrCode, ...productOfCode };

export const getTaskTool = defineTool({
  name: "get_task",
  title: "Get a task",
  description:
    "Get a task with its plan and its story's acceptance criteria. Texts are user content.",
  access: "read",
  input: z.object(taskReference),
  run: async ({ actor }, { task_id, product_id }) =>
    getTaskDetail(actor, { task_id: await resolveId(actor, "task", task_id, product_id) }),
});

export const updateTaskStatusTool = defineTool({
  name: "update_task_status",
  title: "Update the status of a task",
  description:
    "Set a task to todo, in_progress or done; its story and PBI follow. Only people move tasks to review.",
  access: "write",
  scopes: ["plan", "work"],
  effect: { repeatable: true },
  input: z.object({
    ...taskReference,
    status: z.enum(["todo", "in_progress", "done"]),
    ...expectedVersion,
  }),
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
    updateTask(actor, {
      ...fields,
      task_id: await resolveId(actor, "task", task_id, product_id),
    }),
});
