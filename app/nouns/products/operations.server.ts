import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { noInput, operation, patchOperation } from "~/nouns/operation.server";
import { ContractError } from "~/wire/errors";
import * as wire from "~/wire/products/contract";

const consentSchema = z.object({ product_id: z.string(), workers_allowed: z.boolean() });

const memberNameSchema = wire.productMemberSchema.pick({ user_id: true, username: true, role: true });

/** Sets whether the caller's own workers take jobs of this product unasked (specification: Agent job). */
export const allowMyWorkers = operation("allow_my_workers", wire.allowMyWorkersInput, consentSchema);

/** Archives a product: readable, not writable; owner only (specification: GET /api/products). */
export const archiveProduct = operation("archive_product", wire.productIdInput, wire.productDetailSchema);

/** Creates a product owned by the caller (specification: Product). */
export const createProduct = operation("create_product", wire.createProductInput, wire.productDetailSchema);

/** Deletes a product with everything in it; the caller must repeat its code. */
export const deleteProduct = operation("delete_product", wire.deleteProductInput, z.object({ id: z.string() }));

/** The context with which an agent starts (specification: GET /api/products/:id/agent-context). */
export const getAgentContext = operation("get_agent_context", wire.productIdInput, wire.agentContextSchema);

/** Snapshot of a whole backlog (specification: GET /api/products/:id/backlog). */
export const getBacklog = operation("get_backlog", wire.productIdInput, wire.backlogSchema);

/** First open story of the active sprint (specification: GET /api/products/:id/next-story). */
export const getNextStory = operation("get_next_story", wire.productIdInput, wire.nextStorySchema);

/** One product with all fields and the caller's role (specification: Product). */
export const getProduct = operation("get_product", wire.productIdInput, wire.productDetailSchema);

/** The caller leaves a product (specification: Other records). */
export const leaveProduct = operation("leave_product", wire.productIdInput, z.object({ product_id: z.string() }));

/** Owner and members of a product (specification: Authentication 4). */
export const listProductMembers = operation(
  "list_product_members",
  wire.productIdInput,
  z.array(wire.productMemberSchema),
);

/** The caller's active products (specification: GET /api/products). */
export const listProducts = operation("list_products", noInput, z.array(wire.productSchema));

/** Removes a member, who loses access at once; owner only (specification: Authentication 4). */
export const removeProductMember = operation(
  "remove_product_member",
  wire.removeProductMemberInput,
  z.object({ product_id: z.string(), user_id: z.string() }),
);

/** Restores an archived product; owner only (specification: GET /api/products). */
export const restoreProduct = operation("restore_product", wire.productIdInput, wire.productDetailSchema);

/** Changes a member's role between viewer and member; owner only (specification: Authentication 4). */
export const setMemberRole = operation("set_member_role", wire.setMemberRoleInput, memberNameSchema);

/** Edits a product; owner only (specification: Product). */
export const updateProduct = patchOperation(
  "update_product",
  wire.updateProductInput,
  { own: ["product_id"], rest: "changes" },
  wire.productDetailSchema,
);

/** The caller's products that are not archived, with role and counts. */
export const listProductOverviews = operation("list_product_overviews", noInput, z.array(wire.productOverviewSchema));

/** True if the caller may use the product and it is not archived. */
export async function isOpenProduct(actor: Actor, productId: string): Promise<boolean> {
  try {
    return (await getProduct(actor, { product_id: productId })).archived_at === null;
  } catch (error) {
    if (error instanceof ContractError && [403, 404].includes(error.status)) return false;
    throw error;
  }
}
