import { unzipSync } from "fflate";
import { ContractError } from "~/contract/errors";
import { convertFolder } from "../backlog-md/convert-folder.server";
import { byPath, folderLimits, judgeFile, type SourceFolder } from "../backlog-md/source-folder";
import { type ImportDraft, importLimits } from "../contract";
import { exportDocumentSchema } from "../export-document";
import { addDocument } from "./document";
import { Draft } from "./draft";

const readAs = {
  "to do": "TO_DO",
  done: "DONE",
  idea: "LEFT_OUT",
  "archived idea": "LEFT_OUT",
} as const;

export interface UploadedFile {
  name: string;
  bytes: Uint8Array;
}

/** Reads a Backlog.md folder, as a zip or as files; parent folders may be included. */
export function readBacklogMd(files: readonly UploadedFile[]): ImportDraft {
  const [first] = files;
  const isZip = files.length === 1 && first?.bytes[0] === 0x50 && first.bytes[1] === 0x4b;
  const folder = readFolder(isZip ? unpack(first.bytes) : new Map(files.map(named)));
  const conversion = convertFolder(folder, { name: "Imported", code: "IMPORTED" });
  const document = exportDocumentSchema.parse(conversion.document);
  const draft = new Draft("backlog-md");
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
function named({ name, bytes }: UploadedFile): [string, Uint8Array] {
  return [name.includes("/") ? name : `tasks/${name}`, bytes];
}

function unpack(bytes: Uint8Array): Map<string, Uint8Array> {
  let [size, packed, count] = [0, 0, 0];
  try {
    const entries = unzipSync(bytes, {
      // fflate allocates the sizes the zip declares, so more than that can never come out: of a stored entry its own, else the original.
      filter: (entry) => {
        if (entry.name.endsWith("/")) return false;
        const most = Math.max(entry.size, entry.originalSize);
        count += 1;
        packed += entry.size;
        size += Math.min(most, folderLimits.bytes + 1);
        // Entries that lie over each other name the same bytes again and again.
        if (packed > bytes.length)
          throw new ContractError(
            422,
            "Entries of the zip file overlap. Create the file again, or import its parts.",
          );
        if (count > folderLimits.files || size > importLimits.unpacked)
          throw new ContractError(422, "The zip unpacks to more than can be imported at once.");
        return most <= folderLimits.bytes;
      },
    });
    return new Map(Object.entries(entries));
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(422, "The zip cannot be read. Pack the folder again.");
  }
}

function readFolder(files: ReadonlyMap<string, Uint8Array>): SourceFolder {
  const folder: SourceFolder = { files: [], skipped: [], config: "" };
  const root = rootOf([...files.keys()]);
  for (const path of [...files.keys()].toSorted(byPath)) {
    const bytes = files.get(path);
    if (!path.startsWith(root) || !bytes) continue;
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

/** Finds the folder that contains tasks/ in the upload. */
function rootOf(paths: readonly string[]): string {
  const roots = paths
    .map((path) => /^(.*\/)?(?:tasks|completed|drafts|milestones)\/[^/]+\.md$/.exec(path))
    .filter((found) => found !== null)
    .map(([, root = ""]) => root);
  return roots.toSorted((one, other) => one.length - other.length)[0] ?? "";
}
