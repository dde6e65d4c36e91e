import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { fileName } from "~/nouns/files/file-name";
import { requireFileRoom } from "../files/require-file-room.server";
import type { ExportDocument, ExportedFile } from "./export-document";
import { exportDocumentSchema } from "./export-document";

/** The content of a file of the document, as it is next to it. */
export type ReadContent = (file: ExportedFile) => Promise<Uint8Array>;

/** What of an id is in a document: `"id"`, evidence, and addresses in texts. */
const anyId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** A file keeps its id where no one has that; else it gets another, in the texts that show it too. */
export async function withFreeIds(
  database: Database,
  document: ExportDocument,
): Promise<{ document: ExportDocument; givenIds: ReadonlyMap<string, string> }> {
  const p_ids = document.files.map(({ id }) => id);
  if (p_ids.length === 0) return { document, givenIds: new Map() };
  const taken = await callService(database, "taken_file_ids", { p_ids }, z.array(z.uuid()));
  const others = new Map(taken.map((id) => [id, `${randomUUID()}`]));
  const givenIds = new Map(p_ids.map((id) => [others.get(id) ?? id, id]));
  if (others.size === 0) return { document, givenIds };
  const text = JSON.stringify(document).replace(anyId, (id) => others.get(id) ?? id);
  return { document: exportDocumentSchema.parse(JSON.parse(text)), givenIds };
}

/** Keeps the files of an import, before the texts and the evidence that show them. */
export async function importFiles(
  database: Database,
  productId: string,
  files: readonly ExportedFile[],
  readContent: ReadContent,
): Promise<void> {
  for (const file of files) {
    const bytes = await readContent(file);
    await requireFileRoom(database, bytes.length);
    await callService(
      database,
      "import_file",
      {
        p_product_id: productId,
        p_file: { ...file, name: fileName(file.name) },
        p_content: Buffer.from(bytes).toString("base64"),
      },
      z.object({ id: z.uuid() }),
    );
  }
}

/** Once everything is there, files go where they belong. */
export async function placeFiles(
  database: Database,
  productId: string,
  files: readonly ExportedFile[],
): Promise<void> {
  if (files.length === 0) return;
  const given = { p_product_id: productId, p_files: files };
  await callService(database, "place_files", given, z.object({ id: z.uuid() }));
}
