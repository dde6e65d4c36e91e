import { getBudgets } from "~/nouns/budgets/operations.server";
import { getCosts } from "~/nouns/insights/operations.server";
import { budgetsQuery } from "~/wire/budgets/contract";
import { costsQuery } from "~/wire/insights/contract";
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

export const getCostsTool = defineTool({
  name: "get_costs",
  title: "Get costs",
  description: "Get what an accepted change costs, failed attempts included, by agent, label or month.",
  access: "read",
  input: costsQuery.extend({ product_id: idOrCode }),
  run: async ({ actor }, { product_id, ...input }) =>
    getCosts(actor, { ...input, product_id: await resolveId(actor, "product", product_id) }),
});
