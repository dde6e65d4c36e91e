import { ContractError } from "~/contract/errors";
import type { UploadedFile } from "~/nouns/transfers/formats/folder.server";
import { readForm } from "./form-body.server";

/** Parses a multipart body. Refuses other form types, which any foreign page could send. */
export async function parseMultipart(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Headers,
): Promise<FormData> {
  const type = headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw new ContractError(400, "Send the body as multipart/form-data.");
  const form = await readForm(bytes, headers);
  if (!form) throw new ContractError(400, "The body is not valid multipart/form-data.");
  return form;
}

/** Returns the text fields of a form. With duplicate names the last wins. */
export function fieldsOf(form: FormData): Record<string, string> {
  return Object.fromEntries(
    [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Returns the files of a field, or its typed text as a file. Skips empty ones: browsers send one if none is chosen. */
export async function readUploads(form: FormData, name: string): Promise<UploadedFile[]> {
  const files = await Promise.all(
    form
      .getAll(name)
      .map(async (file) =>
        typeof file === "string"
          ? { name: "pasted.md", bytes: new TextEncoder().encode(file) }
          : { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) },
      ),
  );
  return files.filter(({ bytes }) => bytes.length > 0);
}
