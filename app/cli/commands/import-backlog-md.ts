import { z } from "zod";
import { resolveAccount } from "~/nouns/accounts/operations.server";
import type { Conversion, UnknownStatus } from "~/nouns/transfers/backlog-md/conversion";
import { convertFolder } from "~/nouns/transfers/backlog-md/convert-folder.server";
import { exportDocumentSchema } from "~/nouns/transfers/export-document";
import { type ImportedDocument, importDocument } from "~/nouns/transfers/import-document.server";
import { defineCommand } from "../command";
import { readFolder } from "../read-backlog-folder.server";
import { productOptions } from "./products";

/** `import backlog-md`: turns a Backlog.md folder into a product and accounts for every file. */
export const importBacklogMd = defineCommand({
  name: "import backlog-md",
  summary: "Make a product of a Backlog.md folder and report what became of every file",
  positionals: ["folder"],
  options: z.object({
    folder: z.string({ error: "Name the folder, usually ./backlog" }),
    owner: z.string(),
    ...productOptions,
  }),
  run: async (target, { folder, owner, name, code }) => {
    const conversion = convertFolder(await readFolder(folder), { name, code });
    const document = exportDocumentSchema.parse(conversion.document);
    const database = await target.database();
    const account = await resolveAccount(database, { identifier: owner });
    const imported = await importDocument(database, account.id, document, {
      mayLeaveOutDependencies: true,
    });
    for (const { blocked, blocker, reason } of imported.leftOut) {
      conversion.notes.push({ source: blocked, note: `waits for ${blocker}: left out, ${reason}` });
    }
    const mapped = reportMapping(conversion, imported);
    const counts = {
      pbis: imported.pbiCodes.length,
      stories: imported.storyCodes.length,
      tasks: imported.taskCodes.length,
      ideas: imported.ideaCodes.length,
      log_entries: document.pbis.flatMap((pbi) => pbi.stories.flatMap((story) => story.log)).length,
      dependencies: conversion.dependencies - imported.leftOut.length,
      files: new Set([...mapped, ...conversion.skipped].map(({ source }) => source)).size,
    };
    const { skipped, notes } = conversion;
    const statuses = reportStatuses(conversion);
    return {
      json: { id: imported.id, code: imported.code, ...counts, mapped, skipped, notes, statuses },
      lines: reportLines(imported.code, counts, mapped, conversion),
    };
  },
});

function reportLines(
  code: string,
  counts: Record<string, number>,
  mapped: readonly MappedSource[],
  conversion: Conversion,
): string[] {
  const { skipped, notes } = conversion;
  const statuses = reportStatuses(conversion);
  const mappedFiles = new Set(mapped.map(({ source }) => source)).size;
  return [
    `Imported ${code}: PBIs ${counts.pbis}, stories ${counts.stories}, tasks ${counts.tasks}, ideas ${counts.ideas}, log entries ${counts.log_entries}, dependencies ${counts.dependencies}.`,
    `${mappedFiles} of ${counts.files} files are in the product; ${skipped.length} were skipped:`,
    ...skipped.map(({ source, reason }) => `  ${source}: ${reason}`),
    ...(statuses.length > 0 ? ["Statuses of the folder's own:"] : []),
    ...statuses.map(
      ({ status, became, files }) =>
        `  "${status}" was read as ${became} (${files} ${files === 1 ? "file" : "files"})`,
    ),
    ...(notes.length > 0 ? ["Worth a look:"] : []),
    ...notes.map(({ source, note }) => `  ${source} ${note}`),
    "With --json the report lists each file with the codes it became.",
  ];
}

interface MappedSource {
  source: string;
  as: string;
  code: string;
}

interface ReadStatus {
  status: string;
  became: UnknownStatus["became"];
  files: number;
}

/** Groups the folder's unknown statuses by how they were read. Each file counts once. */
function reportStatuses({ unknownStatuses }: Conversion): ReadStatus[] {
  const groups = new Map<
    string,
    { status: string; became: ReadStatus["became"]; sources: Set<string> }
  >();
  for (const { source, status, became } of unknownStatuses) {
    const key = JSON.stringify([status, became]);
    const group = groups.get(key) ?? { status, became, sources: new Set<string>() };
    groups.set(key, group);
    group.sources.add(source);
  }
  return [...groups.values()].map(({ status, became, sources }) => ({
    status,
    became,
    files: sources.size,
  }));
}

/** Lists what each file became, with the codes the import assigned. */
function reportMapping(conversion: Conversion, imported: ImportedDocument): MappedSource[] {
  const codes = new Map<object, string>();
  const pbis = conversion.document.pbis ?? [];
  const stories = pbis.flatMap((pbi) => pbi.stories ?? []);
  assign(codes, pbis, imported.pbiCodes);
  assign(codes, stories, imported.storyCodes);
  assign(
    codes,
    stories.flatMap((story) => story.tasks ?? []),
    imported.taskCodes,
  );
  assign(codes, conversion.document.ideas ?? [], imported.ideaCodes);
  return conversion.mapped.map(({ source, as, target }) => ({
    source,
    as,
    code: codes.get(target) ?? "",
  }));
}

function assign(codes: Map<object, string>, targets: readonly object[], given: readonly string[]) {
  for (const [index, target] of targets.entries()) codes.set(target, given[index] ?? "");
}
