import type { Database } from "~/db/database.server";
import { takeLimit } from "~/nouns/accounts/take-limit.server";
import { exportDocumentSchema, exportFormat, exportVersion } from "./export-document";
import { importDocument } from "./import-document.server";
import { sampleDocument } from "./sample-document";

/** Creates the sample product for a user's first steps: fully planned and ready to run. One per owner. */
export async function createSampleProduct(
  database: Database,
  ownerId: string,
): Promise<{ id: string }> {
  const document = exportDocumentSchema.parse({
    format: exportFormat,
    version: exportVersion,
    ...sampleDocument,
  });
  // Imports by the service are not counted, but this one is on behalf of a person.
  await takeLimit(database, "product", ownerId);
  const { id } = await importDocument(database, ownerId, document);
  return { id };
}
