import type { ExportDocumentInput } from "~/contract/export-document";
import type { Skipped } from "./source-folder";

/** Something about a file that a person may want to look at; nothing was lost. */
export interface Note {
  source: string;
  note: string;
}

/** What a file became. `target` carries the code once the import has given one. */
export interface Mapping {
  source: string;
  as: "pbi" | "story" | "task" | "idea";
  target: { code?: string | null };
}

/** A status that the folder made up, and what its file was read as. */
export interface UnknownStatus {
  source: string;
  status: string;
  became: "to do" | "done" | "idea" | "archived idea";
}

/** A Backlog.md folder as an export document, with an account of every file. */
export interface Conversion {
  document: ExportDocumentInput;
  mapped: Mapping[];
  skipped: Skipped[];
  notes: Note[];
  unknownStatuses: UnknownStatus[];
  /** How many dependencies came along; each other one stands in the notes. */
  dependencies: number;
}
