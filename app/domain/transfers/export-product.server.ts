import { z } from "zod";
import { type ExportDocument, exportDocumentSchema } from "~/contract/export-document";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

const answer = z.union([exportDocumentSchema, z.null()]);

/** The export document of a product (docs/export-format.md), or null when there is no such product. */
export function exportProduct(
  database: Database,
  productId: string,
): Promise<ExportDocument | null> {
  return callService(database, "export_product", { p_product_id: productId }, answer);
}
