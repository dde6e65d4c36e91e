import { getBudgets } from "~/nouns/budgets/operations.server";
import { budgetsQuery } from "~/wire/budgets/contract";
import { idOrCode, resolveId, resolveOptionalId } from "../references.server";
import { defineTool } from "../tool.server";

export const getBudgetsTool = defineTool({
  name: "get_budgets",
  title: "Get budgets",
  description:
    "Get budgets of a product, sprint, run or task: amount, spent, reserved and left. Only people set budgets.",
  access: "read",
  input: budgetsQuery.safeExtend({ product_id: idOrCode, sprint_id: idOrCode.optional() }),
  run: async ({ actor }, { product_id, sprint_id, ...input }) => {
    const product = await resolveId(actor, "product", product_id);
    return getBudgets(actor, {
      ...input,
      product_id: product,
      sprint_id: await resolveOptionalId(actor, "sprint", sprint_id, product),
    });
  },
});
