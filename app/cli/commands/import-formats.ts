import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { z } from "zod";
import { CommandError } from "~/cli/command";
import { resolveAccount } from "~/nouns/accounts/operations.server";
import { folderLimits, type UploadedFile } from "~/nouns/transfers/formats/folder.server";
import { readFiles } from "~/nouns/transfers/formats/read-files.server";
import { importBacklog } from "~/nouns/transfers/import-backlog.server";
import { resolveProduct } from "~/nouns/transfers/operations.server";
import { prepareImport } from "~/nouns/transfers/prepared-import";
import { type ImportReport, importFormats, importLimits } from "~/wire/transfers/contract";
import { defineCommand, UsageError } from "../command";
import { productOptions } from "./products";

/** `import <format> <path>`: what the browser and `POST /api/products/import` do, with files of this machine. */
export const importFromFormats = importFormats
  .filter((format) => format !== "backloom")
  .map((format) =>
    defineCommand({
      name: `import ${format}`,
      summary: `Import a backlog from ${format}, and report what was left out`,
      positionals: ["path"],
      options: z.object({
        path: z.string({ error: "Name the file or folder" }),
        owner: z.string(),
        name: productOptions.name.optional(),
        code: productOptions.code.optional(),
        product: z.string().optional(),
        preview: z.boolean().optional(),
      }),
      run: async (target, { path, owner, name, code, product, preview = false }) => {
        if (product === undefined ? !name || !code : name || code)
          throw new UsageError("Give either --product, or --name and --code of a new product");
        const prepared = prepareImport(readFiles(format, await readUploads(path)));
        const database = await target.database();
        const account = await resolveAccount(database, { identifier: owner });
        const into = product && (await resolveProduct(database, { reference: product }));
        const report = await importBacklog(
          { database, credential: { user_id: account.id } },
          { product_id: into ? into.id : null, name: name ?? null, code: code ?? null },
          prepared,
          preview,
        );
        return { json: { id: report.product.id, code: report.product.code, ...report }, lines: linesOf(report) };
      },
    }),
  );

function linesOf(report: ImportReport): string[] {
  const { product, pbis, stories, tasks, ideas, dependencies, already_there } = report;
  return [
    `${report.preview ? "Would import into" : "Imported into"} ${product.code}: PBIs ${pbis}, stories ${stories}, tasks ${tasks}, ideas ${ideas}, dependencies ${dependencies}.`,
    ...(already_there > 0 ? [`Stories there from an earlier import: ${already_there}.`] : []),
    ...report.statuses.map(
      ({ word, became, known, count }) => `  ${count} × "${word}" was read as ${became}${known ? "" : ", a guess"}`,
    ),
    ...report.unknown_people.map((name) => `No member ${name}: unassigned`),
    ...report.left_out.map(({ count, reason }) => `  ${count} × ${reason}`),
  ];
}

/** Neither holds a backlog, and both may hold more files than all else. */
const skipped = new Set([".git", "node_modules"]);

/** Reads a file, or all files of a folder, as a browser sends them: paths begin with the name of the folder. */
async function readUploads(path: string): Promise<UploadedFile[]> {
  try {
    const at = resolve(path);
    if ((await stat(at)).isFile()) return [{ name: basename(at), bytes: await readFile(at) }];
    return await readFolder(at);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be read: check the path`);
  }
}

async function readFolder(folder: string): Promise<UploadedFile[]> {
  const paths: string[] = [];
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    // Links are neither files nor folders here, so nothing outside of the folder is read.
    for (const entry of await readdir(at, { withFileTypes: true })) {
      if (entry.isDirectory() && !skipped.has(entry.name)) waiting.push(join(at, entry.name));
      if (entry.isFile()) paths.push(join(at, entry.name));
    }
    if (paths.length > folderLimits.files)
      throw new CommandError(`${folder} holds more than ${folderLimits.files} files: name the folder of one backlog`);
  }
  const files: UploadedFile[] = [];
  let size = 0;
  for (const path of paths) {
    const name = `${basename(folder)}/${relative(folder, path).replaceAll(sep, "/")}`;
    const bytes = await contentOf(path);
    if (bytes !== tooLarge) size += bytes.length;
    if (size > importLimits.unpacked) throw new CommandError(`${folder} holds more text than can be imported at once`);
    files.push({ name, bytes });
  }
  return files;
}

/** In place of a content that is refused for its size. */
const tooLarge = new Uint8Array(folderLimits.bytes + 1);

/** Files that cannot hold a backlog are named in the report, and not read. */
async function contentOf(path: string): Promise<Uint8Array> {
  if (!/\.(?:md|ya?ml)$/i.test(path)) return new Uint8Array();
  return (await stat(path)).size > folderLimits.bytes ? tooLarge : readFile(path);
}
