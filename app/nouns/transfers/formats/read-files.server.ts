import { ContractError } from "~/wire/errors";
import { type ImportDraft, type ImportFormat, importLimits } from "~/wire/transfers/contract";
import { requireDraft } from "../prepared-import";
import { readBacklogMd } from "./backlog-md.server";
import { readBeads } from "./beads";
import { readBackloom } from "./document";
import { decodeText, type UploadedFile } from "./folder.server";
import { readGithub } from "./github";
import { readJira } from "./jira.server";
import { readLinear } from "./linear.server";
import { readOpenspec } from "./openspec.server";
import { readSpecKit } from "./spec-kit.server";
import { readTrello } from "./trello";

const folderReaders = {
  "backlog-md": readBacklogMd,
  "spec-kit": readSpecKit,
  openspec: readOpenspec,
} as const satisfies Partial<Record<ImportFormat, (files: readonly UploadedFile[]) => ImportDraft>>;

type FolderFormat = keyof typeof folderReaders;

export const isFolderFormat = (format: ImportFormat): format is FolderFormat => Object.hasOwn(folderReaders, format);

const readers: Record<Exclude<ImportFormat, FolderFormat>, (text: string) => ImportDraft> = {
  linear: readLinear,
  github: readGithub,
  jira: readJira,
  trello: readTrello,
  beads: readBeads,
  backloom: readBackloom,
};

/** Parses uploaded files of a format; refuses invalid ones. Runs in a thread (import-thread.ts). */
export function readUploaded(format: ImportFormat, files: readonly UploadedFile[]): ImportDraft {
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size === 0) throw new ContractError(422, "Choose a file to import.");
  if (size > importLimits.bytes) throw new ContractError(413, "The file is larger than 10 MB. Import it in parts.");
  return readFiles(format, files);
}

/** Parses files of a format; refuses invalid ones. */
export function readFiles(format: ImportFormat, files: readonly UploadedFile[]): ImportDraft {
  return requireDraft(draftOf(format, files));
}

function draftOf(format: ImportFormat, files: readonly UploadedFile[]): ImportDraft {
  if (isFolderFormat(format)) return folderReaders[format](files);
  const [file] = files;
  if (!file || files.length > 1) throw new ContractError(422, "Send one file.");
  return readers[format](textOf(file));
}

function textOf({ bytes }: UploadedFile): string {
  const text = decodeText(bytes);
  if (text !== null) return text;
  throw new ContractError(
    422,
    "The file is neither UTF-8 nor UTF-16 text. Save it as UTF-8, or choose another format.",
  );
}
