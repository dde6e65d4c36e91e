import { z } from "zod";
import { whoFields } from "~/contract/who";
import { idOrCode, reference, resolveId } from "~/mcp/references.server";
import { defineTool } from "~/mcp/tool.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { updateTask } from "./operations.server";

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
