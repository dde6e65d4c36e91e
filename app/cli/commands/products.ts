import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { resolveAccount } from "~/nouns/accounts/operations.server";
import {
  type ExportDocument,
  exportDocumentSchema,
  exportFormat,
  exportVersion,
} from "~/nouns/transfers/export-document";
import { importDocument } from "~/nouns/transfers/import-document.server";
import { enrolMember, exportProduct, resolveProduct } from "~/nouns/transfers/operations.server";
import { measureJson } from "~/wire/measured-json";
import { grantedRoleSchema } from "~/wire/products/contract";
import { CommandError, defineCommand } from "../command";
import { readFilesBeside, writeFilesBeside, writeOwnFile } from "./files-beside";

/** Name and code of a product, for every command that creates one. */
export const productOptions = {
  name: z.string().min(1).max(200),
  code: z.string().regex(/^[A-Za-z0-9._-]{1,30}$/, "use 1 to 30 letters, digits, dots, underscores or hyphens"),
};

export const productCreate = defineCommand({
  name: "product create",
  summary: "Create an empty product",
  options: z.object({
    owner: z.string(),
    ...productOptions,
    description: z.string().optional(),
    "repo-url": z.string().optional(),
    "definition-of-done": z.string().optional(),
    "auto-pr": z.boolean().optional(),
    "pr-strategy": z.enum(["SPRINT", "STORY", "SPRINT_BATCH"]).optional(),
  }),
  run: async (target, options) => {
    const document = exportDocumentSchema.parse({
      format: exportFormat,
      version: exportVersion,
      product: {
        name: options.name,
        code: options.code,
        description: options.description,
        repo_url: options["repo-url"],
        definition_of_done: options["definition-of-done"],
        auto_pr: options["auto-pr"],
        pr_strategy: options["pr-strategy"],
      },
    });
    const database = await target.database();
    const account = await resolveAccount(database, { identifier: options.owner });
    const { id, code } = await importDocument(database, account.id, document);
    return { json: { id, code }, lines: [`Created ${code} for ${account.username}: ${id}`] };
  },
});

export const memberAdd = defineCommand({
  name: "member add",
  summary: "Add a user to a product as a member, or with --role viewer",
  options: z.object({ product: z.string(), user: z.string(), role: grantedRoleSchema.optional() }),
  run: async (target, { product: reference, user, role }) => {
    const database = await target.database();
    const product = await resolveProduct(database, { reference });
    const account = await resolveAccount(database, { identifier: user });
    await enrolMember(database, { product_id: product.id, user_id: account.id, role });
    return {
      json: { id: account.id, product_id: product.id, user_id: account.id },
      lines: [`${account.username} is a ${role?.toLowerCase() ?? "member"} of ${product.code}`],
    };
  },
});

/** `export`: writes the whole product as one JSON document to standard output or a file. */
export const exportCommand = defineCommand({
  name: "export",
  summary: "Write a product as one JSON file (docs/export-format.md)",
  options: z.object({ product: z.string(), out: z.string().optional(), files: z.string().optional() }),
  run: async (target, { product: reference, out, files: folder }) => {
    const database = await target.database();
    const product = await resolveProduct(database, { reference });
    const document = await exportProduct(database, { product_id: product.id });
    if (document === null) throw new CommandError(`The product ${reference} is gone`);
    const { files } = document;
    if (folder !== undefined) await writeFilesBeside(database, folder, files);
    if (out === undefined) return { json: document, lines: [JSON.stringify(document, null, 2)] };
    await writeOwnFile(out, `${JSON.stringify(document, null, 2)}\n`).catch(() => {
      throw new CommandError(`${out} cannot be written: check the path`);
    });
    const beside =
      folder === undefined
        ? `Files: ${files.length}, not included. Add --files <folder> to write them too.`
        : `Files: ${files.length}, in ${folder}`;
    return {
      json: { id: product.id, file: out, files: folder === undefined ? 0 : files.length },
      lines: [`Wrote ${product.code} to ${out}`, ...(files.length > 0 ? [beside] : [])],
    };
  },
});

/** Ten times the largest backlogs. A larger file would not fit into memory as text. */
const mostBytes = 256 * 1024 * 1024;
const limits = { depth: 64, values: 10_000_000 };

/** `import`: reads a file of `export` into a new product of the owner. */
export const importFile = defineCommand({
  name: "import",
  summary: "Create a product from a file of export",
  positionals: ["file"],
  options: z.object({
    file: z.string({ error: "Name the file that export wrote" }),
    owner: z.string(),
    name: productOptions.name.optional(),
    code: productOptions.code.optional(),
    files: z.string().optional(),
    trust: z.boolean().optional(),
  }),
  run: async (target, { file, owner, files: folder, trust: isTrusted, ...changes }) => {
    const document = await readDocument(file);
    const { files } = document;
    const readContent = folder === undefined ? undefined : await readFilesBeside(folder, files);
    const product = { ...document.product, ...definedOnly(changes) };
    const database = await target.database();
    const account = await resolveAccount(database, { identifier: owner });
    const imported = await importDocument(database, account.id, { ...document, product }, { readContent, isTrusted });
    const counts = {
      pbis: imported.pbiCodes.length,
      stories: imported.storyCodes.length,
      tasks: imported.taskCodes.length,
      ideas: imported.ideaCodes.length,
      files: readContent ? files.length : 0,
    };
    const { unknownUsers: unknown } = imported;
    return {
      json: { id: imported.id, code: imported.code, ...counts, unknown_users: unknown },
      lines: [
        `Imported ${imported.code}: PBIs ${counts.pbis}, stories ${counts.stories}, tasks ${counts.tasks}, ideas ${counts.ideas}.`,
        ...(readContent
          ? [`Files: ${files.length}, from ${folder}.`]
          : files.length > 0
            ? [`Files: ${files.length}, left out. Name their folder with --files <folder>.`]
            : []),
        ...(isTrusted || !document.lessons.some(({ status }) => status === "accepted")
          ? []
          : ["Lessons wait as proposals. --trust takes them, and plans, as decided."]),
        ...unknown.map((username) => `There is no user ${username} here: left out of the new product`),
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

/** Parses JSON after measuring it, as the service does with request bodies. */
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
