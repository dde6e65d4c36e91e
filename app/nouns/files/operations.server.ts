import { z } from "zod";
import { operation } from "~/nouns/operation.server";
import * as wire from "~/wire/files/contract";

/** Stores a file of a product. */
export const addFile = operation("add_file", wire.addFileInput, wire.fileSchema);

/** A file with a part of its content in base64; without a length, with none. */
export const readFile = operation("read_file", wire.readFileInput, wire.filePartSchema);

/** The files of a product, newest first. */
export const listFiles = operation("list_files", wire.listFilesInput, wire.fileListSchema);

/** Deletes a file: who added it, or the owner of the product. */
export const deleteFile = operation("delete_file", wire.fileIdInput, z.object({ deleted: z.boolean() }));
