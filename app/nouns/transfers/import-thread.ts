// Program of a worker thread (see work-thread.server.ts): reads what is uploaded for an import.
import { parentPort } from "node:worker_threads";
import { gunzipSync, gzipSync } from "node:zlib";
import { readStamped, stamp } from "~/nouns/identities/seal.server";
import { ContractError, type ErrorStatus } from "~/wire/errors";
import { type ImportDraft, type ImportFormat, importLimits } from "~/wire/transfers/contract";
import type { UploadedFile } from "./formats/folder.server";
import { readUploaded } from "./formats/read-files.server";
import { type ImportedPeople, type PreparedImport, prepareImport, requireDraft, writeDraft } from "./prepared-import";

/** Whose draft it is, and what it is stamped with while it is in the browser. */
type Owner = { id: string; secrets: readonly string[] };

/** Files of a format, or the draft that an earlier reading packed for the same person. */
export type ImportTask =
  | { format: ImportFormat; files: readonly UploadedFile[]; owner?: Owner }
  | { packed: string; people: ImportedPeople; owner: Owner };

export type ImportAnswer =
  | (Pick<PreparedImport, "told" | "size"> & { packed: string })
  | { status: ErrorStatus; message: string };

function answer(task: ImportTask): { made: ImportAnswer; text: string } {
  const draft = "packed" in task ? unpack(task) : readUploaded(task.format, task.files);
  const { given, ...rest } = prepareImport(draft, "packed" in task ? task.people : undefined);
  const isKept = "format" in task && task.owner;
  return { made: { ...rest, packed: isKept ? pack(draft, isKept) : "" }, text: given };
}

function pack(draft: ImportDraft, { id, secrets }: Owner): string {
  // The quickest level: a text that hardly packs takes as long as reading it otherwise.
  const packed = gzipSync(writeDraft(draft), { level: 1 }).toString("base64");
  return stamp("import draft", id, packed, secrets);
}

/** The draft as it was packed here: a browser may have kept it long, changed it, or sent one of its own. */
function unpack({ packed, owner }: { packed: string; owner: Owner }): ImportDraft {
  const text = readStamped("import draft", owner.id, packed, owner.secrets);
  if (text === null) throw new ContractError(422, "The preview is incomplete. Choose the file once more.");
  const bytes = gunzipSync(Buffer.from(text, "base64"), { maxOutputLength: importLimits.text });
  return requireDraft(JSON.parse(bytes.toString("utf8")));
}

parentPort?.on("message", (task: ImportTask) => {
  try {
    const { made, text } = answer(task);
    parentPort?.postMessage({ made: JSON.stringify(made), text });
  } catch (error) {
    const refusal = error instanceof ContractError ? { status: error.status, message: error.message } : null;
    parentPort?.postMessage({ made: refusal && JSON.stringify(refusal) });
  }
});
parentPort?.postMessage({ ready: true });
