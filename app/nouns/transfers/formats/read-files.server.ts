import { ContractError } from "~/contract/errors";
import { type ImportDraft, type ImportFormat, importLimits } from "../contract";
import { readBacklogMd, type UploadedFile } from "./backlog-md.server";
import { readBackloom } from "./document";
import { readGithub } from "./github";
import { readJira } from "./jira.server";
import { readLinear } from "./linear.server";
import { readTrello } from "./trello";

const readers: Record<Exclude<ImportFormat, "backlog-md">, (text: string) => ImportDraft> = {
  linear: readLinear,
  github: readGithub,
  jira: readJira,
  trello: readTrello,
  backloom: readBackloom,
};

/** Parses uploaded files of a format; refuses invalid ones. Runs in a thread (import-thread.ts). */
export function readFiles(format: ImportFormat, files: readonly UploadedFile[]): ImportDraft {
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
