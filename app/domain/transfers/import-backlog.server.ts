import { ContractError } from "~/contract/errors";
import {
  type ImportDraft,
  type ImportFormat,
  type ImportReport,
  importBacklogInput,
  importedRowsSchema,
  importLimits,
} from "~/contract/import";
import type { Actor } from "~/db/rpc.server";
import { operation } from "../operation.server";
import { readBacklogMd, type UploadedFile } from "./formats/backlog-md.server";
import { readBackloom } from "./formats/document";
import { readGithub } from "./formats/github";
import { readJira } from "./formats/jira.server";
import { readLinear } from "./formats/linear.server";
import { readTrello } from "./formats/trello";

const importRows = operation("import_backlog", importBacklogInput, importedRowsSchema);

const readers: Record<Exclude<ImportFormat, "backlog-md">, (text: string) => ImportDraft> = {
  linear: readLinear,
  github: readGithub,
  jira: readJira,
  trello: readTrello,
  backloom: readBackloom,
};

/** Parses uploaded files of a format; refuses invalid ones. */
export function readImport(format: ImportFormat, files: readonly UploadedFile[]): ImportDraft {
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size === 0) throw new ContractError(422, "Choose a file to import.");
  if (size > importLimits.bytes)
    throw new ContractError(413, "The file is larger than 10 MB. Import it in parts.");
  if (format === "backlog-md") return readBacklogMd(files);
  const [file] = files;
  if (!file || files.length > 1) throw new ContractError(422, "Send one file.");
  return readers[format](textOf(file));
}

/** Spreadsheets on Windows write "Unicode text" as UTF-16, with a mark at its beginning. */
function textOf({ bytes }: UploadedFile): string {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new ContractError(
      422,
      "The file is neither UTF-8 nor UTF-16 text. Save it as UTF-8, or choose another format.",
    );
  }
}

export interface ImportTarget {
  product_id: string | null;
  name: string | null;
  code: string | null;
}

const shownRows = 20;

/** Imports a draft's new items in one transaction, or previews that. */
export async function importBacklog(
  actor: Actor,
  target: ImportTarget,
  { pbis, left_out, statuses }: ImportDraft,
  preview: boolean,
): Promise<ImportReport> {
  const rows = await importRows(actor, { ...target, pbis, preview });
  return {
    ...rows,
    preview,
    left_out,
    statuses,
    rows: pbis
      .flatMap(({ title: pbi, stories }) =>
        stories.map(({ title, labels, tasks }) => ({
          title,
          pbi,
          labels,
          tasks: tasks.length,
          done: tasks.length > 0 && tasks.every(({ status }) => status === "DONE"),
        })),
      )
      .slice(0, shownRows),
  };
}
