import { ContractError } from "~/contract/errors";

/** A page's largest form is a selection of stories; its fields have plain names. */
const mostFields = 2_000;
const plainName = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

/**
 * Judges the body of a form once, before any action sees it. It is measured before it is parsed, and the names of its
 * fields before a form library reads them as paths: `a[4294967294]` would be a list of that length.
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

/** How many fields the bytes can be at most: by what stands between fields, without parsing. */
function countFields(bytes: Uint8Array, type: string): number {
  const boundary = /boundary="?([^";]+)/i.exec(type)?.[1];
  const between = /^multipart\//i.test(type) ? `\r\n--${boundary ?? ""}` : "&";
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let found = 1;
  for (let at = buffer.indexOf(between); at >= 0; at = buffer.indexOf(between, at + 1)) found += 1;
  return found;
}
