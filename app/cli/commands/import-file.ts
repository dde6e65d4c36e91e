import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import {
  type ExportDocument,
  exportDocumentSchema,
  exportFormat,
} from "~/contract/export-document";
import { measureJson } from "~/contract/measured-json";
import { resolveAccount } from "~/domain/accounts/operations.server";
import { importDocument } from "~/domain/transfers/import-document.server";
import { defineCommand } from "../command";
import { CommandError } from "../command-error";
import { productOptions } from "../product-options";

/** The largest backlogs are a tenth of this; beyond it the file would not fit into memory as text. */
const mostBytes = 256 * 1024 * 1024;
const limits = { depth: 64, values: 10_000_000 };

/** `import`: reads back what `export` wrote, into a new product of the owner. */
export const importFile = defineCommand({
  name: "import",
  summary: "Make a product of a file that export wrote",
  positionals: ["file"],
  options: z.object({
    file: z.string({ error: "Name the file that export wrote" }),
    owner: z.string(),
    name: productOptions.name.optional(),
    code: productOptions.code.optional(),
  }),
  run: async (target, { file, owner, ...changes }) => {
    const document = await readDocument(file);
    const product = { ...document.product, ...definedOnly(changes) };
    const database = await target.database();
    const account = await resolveAccount(database, { identifier: owner });
    const imported = await importDocument(database, account.id, { ...document, product });
    const counts = {
      pbis: imported.pbiCodes.length,
      stories: imported.storyCodes.length,
      tasks: imported.taskCodes.length,
      ideas: imported.ideaCodes.length,
    };
    const { unknownUsers: unknown } = imported;
    return {
      json: { id: imported.id, code: imported.code, ...counts, unknown_users: unknown },
      lines: [
        `Imported ${imported.code}: PBIs ${counts.pbis}, stories ${counts.stories}, tasks ${counts.tasks}, ideas ${counts.ideas}.`,
        ...unknown.map((username) => `No user ${username} here: not a member of the new product`),
      ],
    };
  },
});

async function readDocument(file: string): Promise<ExportDocument> {
  const parsed = exportDocumentSchema.safeParse(parseJson(file, await readText(file)));
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues.slice(0, 5);
  const wrong = first.map((issue) => `  ${issue.path.join(".") || "the file"}: ${issue.message}`);
  throw new CommandError([`${file} is no ${exportFormat} file of version 1:`, ...wrong].join("\n"));
}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size <= mostBytes) return await readFile(file, "utf8");
  } catch {
    throw new CommandError(`${file} cannot be read: check the path`);
  }
  throw new CommandError(`${file} is larger than ${mostBytes / 1024 / 1024} MiB`);
}

/** Measured before anything is built of it, as what is sent to the service is. */
function parseJson(file: string, text: string): unknown {
  const excess = measureJson(text, limits);
  if (excess) throw new CommandError(`${file} ${excess}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${file} holds no JSON: give the file that export wrote`);
  }
}

function definedOnly(changes: { name?: string; code?: string }): { name?: string; code?: string } {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}
