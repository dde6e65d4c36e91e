import type { ExportDocumentInput } from "../export-document";
import type { Skipped } from "./source-folder";

/** Something about a file a person may want to check; nothing was lost. */
export interface Note {
  source: string;
  note: string;
}

/** What a file became. `target` gets its code during the import. */
export interface Mapping {
  source: string;
  as: "pbi" | "story" | "task" | "idea";
  target: { code?: string | null };
}

/** A status unknown here, and what its file was read as. */
export interface UnknownStatus {
  source: string;
  status: string;
  became: "to do" | "done" | "idea" | "archived idea";
}

/** A Backlog.md folder as an export document, with a report on every file. */
export interface Conversion {
  document: ExportDocumentInput;
  mapped: Mapping[];
  skipped: Skipped[];
  notes: Note[];
  unknownStatuses: UnknownStatus[];
  /** Number of imported dependencies; all others are in the notes. */
  dependencies: number;
}
