import type { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { type fileForm, fileLimit, type StoredFile } from "./contract";
import { fileName } from "./file-name";
import { typeOf } from "./file-type";
import { addFile } from "./operations.server";
import { requireFileRoom } from "./require-file-room.server";

interface SentFile {
  name: string;
  bytes: Uint8Array;
}

/** Keeps the one file of an upload, or says what is wrong with it. */
export async function takeFile(
  actor: Actor,
  place: z.output<typeof fileForm>,
  [file, another]: readonly SentFile[],
): Promise<StoredFile> {
  if (file === undefined || another !== undefined) {
    throw new ContractError(422, "Choose one file that is not empty.");
  }
  if (file.bytes.length > fileLimit) {
    throw new ContractError(413, "The file is larger than 10 MB. Send a smaller one.");
  }
  const type = typeOf(file.bytes);
  if (type === null) {
    throw new ContractError(
      422,
      "This type of file is not accepted. Send a PNG, JPEG, GIF or WebP picture, an MP4 or WebM recording, a PDF or a text.",
    );
  }
  await requireFileRoom(actor.database, file.bytes.length);
  const content = Buffer.from(file.bytes).toString("base64");
  return addFile(actor, { ...place, name: fileName(file.name), type, content });
}
