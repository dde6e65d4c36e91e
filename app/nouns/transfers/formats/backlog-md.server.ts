import { ContractError } from "~/contract/errors";
import { convertFolder } from "../backlog-md/convert-folder.server";
import { judgeFile, type SourceFolder } from "../backlog-md/source-folder";
import type { ImportDraft } from "../contract";
import { exportDocumentSchema } from "../export-document";
import { addDocument } from "./document";
import { Draft } from "./draft";
import { type Folder, readFolder, rootOf, type UploadedFile } from "./folder.server";

const inTasks = /^((?:.*\/)?)(?:tasks|completed|drafts|milestones)\/[^/]+\.md$/;

const readAs = {
  "to do": "TO_DO",
  done: "DONE",
  idea: "LEFT_OUT",
  "archived idea": "LEFT_OUT",
} as const;

/** Reads a Backlog.md folder, as a zip or as files; parent folders may be included. */
export function readBacklogMd(files: readonly UploadedFile[]): ImportDraft {
  const draft = new Draft("backlog-md");
  const folder = sourceOf(readFolder(files.map(named), draft.leftOut));
  const conversion = convertFolder(folder, { name: "Imported", code: "IMPORTED" });
  const document = exportDocumentSchema.parse(conversion.document);
  addDocument(draft, document, "", true);
  draft.leftOut.add("Drafts and archived tasks", document.ideas.length);
  for (const { source, reason } of conversion.skipped)
    draft.leftOut.add(`Files: ${reason}`, 1, source);
  for (const { source, note } of conversion.notes)
    draft.leftOut.add(`Notes on files: ${note}`, 1, source);
  for (const { status, became } of conversion.unknownStatuses)
    draft.countStatus(status, readAs[became], false);
  return draft.finish();
}

/** Files uploaded one by one are tasks. */
function named({ name, bytes }: UploadedFile): UploadedFile {
  return { name: name.includes("/") ? name : `tasks/${name}`, bytes };
}

function sourceOf(files: Folder): SourceFolder {
  const folder: SourceFolder = { files: [], skipped: [], config: "" };
  const root = rootOf(files, inTasks) ?? "";
  for (const [path, bytes] of files) {
    if (!path.startsWith(root)) continue;
    const inner = path.slice(root.length);
    const judged = judgeFile(inner, bytes.length);
    if ("reason" in judged) folder.skipped.push({ source: inner, reason: judged.reason });
    else if (judged.place === "config") folder.config = new TextDecoder().decode(bytes);
    else
      folder.files.push({
        path: inner,
        place: judged.place,
        text: new TextDecoder().decode(bytes),
      });
  }
  if (folder.files.length > 0) return folder;
  throw new ContractError(
    422,
    "There are no Backlog.md tasks in this. Send a zip of the folder that holds tasks/, usually backlog.",
  );
}
