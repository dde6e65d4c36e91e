import { ContractError } from "~/contract/errors";

/** The largest form of any page is a selection of stories. */
const mostFields = 2_000;
const plainName = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

/**
 * Validates a form body once, before any action sees it. Counts the fields before parsing, and checks field names
 * before a form library reads them as paths: `a[4294967294]` would create a list of that length.
 */
export async function refuseBadForm(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Headers,
): Promise<FormData> {
  if (bytes.length === 0 && !headers.has("content-type")) return new FormData();
  const type = headers.get("content-type") ?? "";
  if (countFields(bytes, type) > mostFields) {
    throw new ContractError(
      422,
      `A form may have at most ${mostFields} fields; send less at once.`,
    );
  }
  const form = await parse(bytes, type);
  for (const name of form.keys()) {
    if (plainName.test(name)) continue;
    throw new ContractError(422, "The form has an unknown field. Reload the page and try again.");
  }
  return form;
}

async function parse(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw new ContractError(400, "The form could not be read. Reload the page and try again.");
  }
}

/** Returns an upper bound on the number of fields, by counting separators without parsing. */
function countFields(bytes: Uint8Array, type: string): number {
  const boundary = /boundary="?([^";]+)/i.exec(type)?.[1];
  const between = /^multipart\//i.test(type) ? `\r\n--${boundary ?? ""}` : "&";
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let found = 1;
  for (let at = buffer.indexOf(between); at >= 0; at = buffer.indexOf(between, at + 1)) found += 1;
  return found;
}
