// Program of a worker thread (see work-thread.server.ts): reads what is uploaded for an import.
import { parentPort } from "node:worker_threads";
import { gunzipSync, gzipSync } from "node:zlib";
import { ContractError, type ErrorStatus } from "~/contract/errors";
import { type ImportDraft, type ImportFormat, importDraftSchema, importLimits } from "./contract";
import type { UploadedFile } from "./formats/folder.server";
import { readUploaded } from "./formats/read-files.server";

/** Files of a format, or the draft that an earlier reading packed. */
export type ImportTask =
  | { format: ImportFormat; files: readonly UploadedFile[]; isPacked?: boolean }
  | { packed: string };

export type ImportAnswer =
  | { draft: ImportDraft; packed: string }
  | { status: ErrorStatus; message: string };

function answer(task: ImportTask): ImportAnswer {
  if ("packed" in task) return { draft: unpack(task.packed), packed: "" };
  const draft = readUploaded(task.format, task.files);
  const text = JSON.stringify(draft);
  if (text.length > importLimits.text)
    throw new ContractError(
      422,
      "The file holds more text than can be imported at once. Import it in parts.",
    );
  return { draft, packed: task.isPacked ? gzipSync(text).toString("base64") : "" };
}

function unpack(packed: string): ImportDraft {
  try {
    const bytes = gunzipSync(Buffer.from(packed, "base64"), {
      maxOutputLength: importLimits.text * 3,
    });
    return importDraftSchema.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    throw new ContractError(422, "The preview is incomplete. Choose the file once more.");
  }
}

parentPort?.on("message", (task: ImportTask) => {
  try {
    parentPort?.postMessage({ made: JSON.stringify(answer(task)) });
  } catch (error) {
    const refusal =
      error instanceof ContractError ? { status: error.status, message: error.message } : null;
    parentPort?.postMessage({ made: refusal && JSON.stringify(refusal) });
  }
});
parentPort?.postMessage({ ready: true });
