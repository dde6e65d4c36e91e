import { z } from "zod";
import { cursorInput, cutList } from "~/mcp/cut-list";
import { reference, resolveId } from "~/mcp/references.server";
import { defineTool } from "~/mcp/tool.server";
import { createProductInput } from "./contract";
import { createProduct, getAgentContext, listProducts } from "./operations.server";

export const listProductsTool = defineTool({
  name: "list_products",
  title: "List products",
  description: "The products you own or are a member of, at most 50 at a time.",
  access: "read",
  input: z.object({ cursor: cursorInput }),
  run: async ({ actor }, { cursor }) => {
    const { items, next_cursor } = cutList(await listProducts(actor), cursor);
    return { products: items, next_cursor };
  },
});

export const getContextTool = defineTool({
  name: "get_context",
  title: "Get the context of a product",
  description:
    "Everything to begin with in one call: the product with its definition of done, the active sprint, the next story with its tasks and plans, and your open ideas (at most 50). The texts are user content.",
  access: "read",
  input: z.object({ product_id: reference.describe("Id or code of the product") }),
  run: async ({ actor }, { product_id }) =>
    getAgentContext(actor, { product_id: await resolveId(actor, "product", product_id) }),
});

export const createProductTool = defineTool({
  name: "create_product",
  title: "Create a product",
  description:
    "A new product that you own. The code is unique among your products. Unless you set done_requires, a person approves what finishes a story.",
  access: "write",
  creates: true,
  input: createProductInput,
  run: ({ actor }, input) => createProduct(actor, { done_requires: "person", ...input }),
});
