import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

const productSchema = z.object({
  id: z.uuid(),
  code: z.string(),
  name: z.string(),
  owner_id: z.uuid(),
});
export type ResolvedProduct = z.infer<typeof productSchema>;

/** A product by id, code or owner/code, for the admin command line; 404 or 409 with candidates. */
export function resolveProduct(database: Database, reference: string): Promise<ResolvedProduct> {
  return callService(database, "resolve_product", { p_reference: reference }, productSchema);
}
