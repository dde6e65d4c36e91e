import { addFileInput, fileContentSchema, fileSchema, readFileInput } from "~/contract/file";
import { operation } from "../operation.server";

/** Stores a file of a product. */
export const addFile = operation("add_file", addFileInput, fileSchema);

/** A file with its content in base64. */
export const readFile = operation("read_file", readFileInput, fileContentSchema);
