import { statfs } from "node:fs/promises";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { type Actor, callService } from "~/db/rpc.server";
import { ContractError } from "~/wire/errors";
import { type fileForm, fileLimit, type StoredFile } from "~/wire/files/contract";
import { typeOf } from "~/wire/files/file-type";
import { addFile } from "./operations.server";

type SentFile = { name: string; bytes: Uint8Array };

/** Keeps the one file of an upload, or says what is wrong with it. */
export async function takeFile(
  actor: Actor,
  target: z.output<typeof fileForm>,
  [file, another]: readonly SentFile[],
): Promise<StoredFile> {
  if (file === undefined || another !== undefined) throw new ContractError(422, "Choose one file that is not empty.");
  if (file.bytes.length > fileLimit) throw new ContractError(413, "The file is larger than 10 MB. Send a smaller one.");
  const type = typeOf(file.bytes);
  if (type === null) {
    throw new ContractError(
      422,
      "This type of file is not accepted. Send a PNG, JPEG, GIF or WebP picture, an MP4 or WebM recording, a PDF or a text.",
    );
  }
  await requireFileRoom(actor.database, file.bytes.length);
  const content = Buffer.from(file.bytes).toString("base64");
  return addFile(actor, { ...target, name: fileName(file.name), type, content });
}

const megabyte = 1024 ** 2;
const mostKeptFree = 2_048 * megabyte;

/** 507 where more bytes would fill the disk for everyone, or exceed what all files of the installation may take. */
export async function requireFileRoom(database: Database, bytes: number): Promise<void> {
  const { folder, freeDisk, total } = database.fileRoom;
  if (folder !== undefined) await requireFreeDisk(folder, freeDisk, bytes);
  if (total === undefined) return;
  const taken = await callService(database, "count_file_bytes", {}, z.number());
  if (taken + bytes <= total) return;
  throw new ContractError(
    507,
    `The files of this installation take ${formatBytes(total)}, which is the limit that its administrator set. Delete some files, or ask the administrator for more room (FILES_TOTAL).`,
  );
}

async function requireFreeDisk(folder: string, set: number | undefined, bytes: number) {
  const { bavail, blocks, bsize } = await statfs(folder);
  const least = set ?? Math.min(mostKeptFree, (blocks * bsize) / 10);
  if (bavail * bsize - bytes >= least) return;
  throw new ContractError(
    507,
    `The disk of this installation has less than ${formatBytes(least)} free, so it takes no more files. Ask its administrator to make room (FILES_FREE_DISK).`,
  );
}

function formatBytes(bytes: number): string {
  const size = Math.round(bytes / megabyte);
  return size % 1_024 === 0 && size > 0 ? `${size / 1_024} GB` : `${size} MB`;
}

/** Control characters, halves of characters, quotes, and marks that turn the direction of writing ("exe.gpj" would read "jpg.exe"). */
const unwanted = /[\p{Cc}\p{Surrogate}"\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The name of a file as it is kept: the last part of a path, without what no file system and no header takes. */
export function fileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  return [...last.replace(unwanted, "")].slice(0, 200).join("").trim() || "file";
}
