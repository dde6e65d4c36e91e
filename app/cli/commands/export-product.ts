import { open } from "node:fs/promises";
import { z } from "zod";
import { exportProduct, resolveProduct } from "~/domain/transfers/operations.server";
import { defineCommand } from "../command";
import { CommandError } from "../command-error";

/** `export`: the whole product as one JSON document, on standard output or in a file. */
export const exportCommand = defineCommand({
  name: "export",
  summary: "Write a product with codes and logs as one JSON document (docs/export-format.md)",
  options: z.object({ product: z.string(), out: z.string().optional() }),
  run: async (target, { product: reference, out }) => {
    const database = await target.database();
    const product = await resolveProduct(database, { reference });
    const document = await exportProduct(database, { product_id: product.id });
    if (document === null) throw new CommandError(`The product ${reference} is gone`);
    if (out === undefined) return { json: document, lines: [JSON.stringify(document, null, 2)] };
    await writeOwnFile(out, `${JSON.stringify(document, null, 2)}\n`).catch(() => {
      throw new CommandError(`${out} cannot be written: check the path`);
    });
    return { json: { id: product.id, file: out }, lines: [`Wrote ${product.code} to ${out}`] };
  },
});

/** The ideas of all users are in it, so the file is its owner's alone to read, also where it was there before. */
async function writeOwnFile(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    if ((await file.stat()).isFile()) await file.chmod(0o600);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
