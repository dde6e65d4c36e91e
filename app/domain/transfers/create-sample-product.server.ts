import { exportDocumentSchema, exportFormat, exportVersion } from "~/contract/export-document";
import type { Database } from "~/db/database.server";
import { takeLimit } from "../accounts/take-limit.server";
import { importDocument } from "./import-document.server";
import { sampleDocument } from "./sample-document";

/** The sample product for somebody's first steps: planned to the end, nothing in the way of its run. One per owner. */
export async function createSampleProduct(
  database: Database,
  ownerId: string,
): Promise<{ id: string }> {
  const document = exportDocumentSchema.parse({
    format: exportFormat,
    version: exportVersion,
    ...sampleDocument,
  });
  // An import by the service counts nothing; this one is a person's own.
  await takeLimit(database, "product", ownerId);
  const { id } = await importDocument(database, ownerId, document);
  return { id };
}
