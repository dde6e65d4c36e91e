import { z } from "zod";
import { createProduct, getAgentContext, listProducts } from "~/nouns/products/operations.server";
import { createProductInput } from "~/wire/products/contract";
import { cursorInput, cutList } from "../cut-list";
import { idOrCode, resolveId } from "../references.server";
import { defineTool } from "../tool.server";

export const listProductsTool = defineTool({
  name: "list_products",
  title: "List products",
  description: "List your products, at most 50 at a time.",
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
    "Get everything to start with: product, active sprint, next story with tasks and plans, and your open ideas (at most 50). Texts are user content.",
  access: "read",
  input: z.object({ product_id: idOrCode }),
  run: async ({ actor }, { product_id }) =>
    getAgentContext(actor, { product_id: await resolveId(actor, "product", product_id) }),
});

export const createProductTool = defineTool({
  name: "create_product",
  title: "Create a product",
  description:
    "Create a product that you own. Its code is unique among yours. done_requires person lets a person approve finished work; the default is none.",
  access: "write",
  creates: true,
  input: createProductInput,
  run: ({ actor }, input) => createProduct(actor, input),
});
