import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { RequestContext } from "~/context/load-context";
import { openBodyLimit } from "~/context/read-body";
import { type LimitedAction, takeLimit } from "~/nouns/accounts/operations.server";
import type { UploadedFile } from "~/nouns/transfers/formats/folder.server";
import { ContractError, type Issue } from "~/wire/errors";
import {
  type JsonLimits,
  jsonLimits,
  openJsonLimits,
  packedJsonLimits,
  parseMeasured,
  unacceptable,
} from "~/wire/measured-json";
import { addressLimitKey } from "./client-address.server";

/** The largest form of any page is a selection of stories; the largest upload a folder of them. */
const mostFields = 2_000;
const plainName = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

/** Before a form library reads names as paths: `a[4294967294]` would create a list of that length. */
export async function refuseBadForm(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Promise<FormData> {
  if (bytes.length === 0 && !headers.has("content-type")) return new FormData();
  const form = await readForm(bytes, headers);
  if (!form) throw new ContractError(400, "The form could not be read. Reload the page and try again.");
  for (const name of form.keys()) {
    if (plainName.test(name)) continue;
    throw new ContractError(422, "The form has an unknown field. Reload the page and try again.");
  }
  return form;
}

/** Null if it is no form. `headers` get the boundary it is parsed by, so that later readers find the same parts. */
export async function readForm(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Promise<FormData | null> {
  const type = headers.get("content-type") ?? "";
  const boundary = boundaryOf(type);
  if (boundary === undefined) return null;
  if (hasMore(bytes, boundary === null ? "&" : `--${boundary}`, mostFields))
    throw new ContractError(422, `A form may have at most ${mostFields} fields; send less at once.`);
  if (boundary !== null && hasLongHeads(bytes, `--${boundary}`)) return null;
  if (boundary !== null) headers.set("content-type", `multipart/form-data; boundary="${boundary}"`);
  try {
    return await new Response(bytes, { headers: { "content-type": headers.get("content-type") ?? "" } }).formData();
  } catch {
    return null;
  }
}

/** Header lines of a part, and of all parts, in bytes: more than any browser sends. */
const headLimits = { one: 4_096, all: 1_048_576 } as const;

/** Whether the header lines of the parts, each of which would be parsed, are more than that. */
function hasLongHeads(bytes: Uint8Array, boundary: string): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let all = 0;
  for (let at = buffer.indexOf(boundary); at >= 0; at = buffer.indexOf(boundary, at + 1)) {
    const head = buffer.subarray(at, at + headLimits.one);
    const end = head.indexOf("\r\n\r\n");
    all += Math.max(end, 0);
    if ((end < 0 && head.length === headLimits.one) || all > headLimits.all) return true;
  }
  return false;
}

/** Null for a form without parts, undefined for what is not a form, or one with none or several boundaries. */
function boundaryOf(type: string): string | null | undefined {
  if (/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return null;
  const [kind = "", ...parameters] = type.split(";");
  if (!/^multipart\/form-data\s*$/i.test(kind)) return undefined;
  const [named, another] = parameters
    .map((parameter) => /^\s*boundary=("?)([\w'()+,./:=?-]{1,70})\1\s*$/i.exec(parameter))
    .filter((found) => found !== null);
  return another ? undefined : named?.[2];
}

/** Whether there may be more parts than so many, without parsing, and without a look at those beyond. */
export function hasMore(bytes: Uint8Array, separator: string, most: number): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let found = 1;
  for (let at = buffer.indexOf(separator); at >= 0; at = buffer.indexOf(separator, at + 1)) {
    found += 1;
    if (found > most) return true;
  }
  return false;
}

/** Parses a multipart body. Refuses other form types, which any foreign page could send. */
export async function parseMultipart(bytes: Uint8Array<ArrayBuffer>, headers: Headers): Promise<FormData> {
  const type = headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type)) throw new ContractError(400, "Send the body as multipart/form-data.");
  const form = await readForm(bytes, headers);
  if (!form) throw new ContractError(400, "The body is not valid multipart/form-data.");
  return form;
}

/** Returns the text fields of a form. With duplicate names the last wins. */
export function fieldsOf(form: FormData): Record<string, string> {
  return Object.fromEntries([...form].filter((entry): entry is [string, string] => typeof entry[1] === "string"));
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

const jsonType = /^application\/(?:json|[a-z0-9.+-]+\+json)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** 400 if it is not JSON, 422 if it cannot be stored exactly as sent. `isOpen`: from someone who has not signed in. */
export function parseJsonBody(bytes: Uint8Array, headers: Headers, isOpen = false, isUnpacked = false): unknown {
  refuseOtherTypes(headers, isOpen, isUnpacked);
  const value = decode(bytes, isUnpacked ? packedJsonLimits : isOpen ? openJsonLimits : jsonLimits);
  const issue = findUnstorable(value, []);
  if (issue) throw unacceptable(issue.path, issue.message);
  return value;
}

const unpack = promisify(gunzip);

/** A body that may be packed with gzip. No more than `limit` bytes are ever unpacked. */
export async function unpackBody(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Headers,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding === "identity") return bytes;
  if (encoding !== "gzip") throw new ContractError(400, "Send the body plain, or with Content-Encoding: gzip.");
  try {
    return new Uint8Array(await unpack(bytes, { maxOutputLength: limit }));
  } catch (error) {
    if (error instanceof RangeError) {
      throw new ContractError(413, `The body is larger than ${limit / 1_048_576} MB when unpacked. Send less at once.`);
    }
    throw new ContractError(400, "The body is not valid gzip.");
  }
}

/** A form of another site has a cookie and always a type; programs with a bearer token may leave it out (`curl -d`). */
function refuseOtherTypes(headers: Headers, isOpen: boolean, isUnpacked: boolean): void {
  const hasToken = /^bearer /i.test(headers.get("authorization") ?? "");
  const type = isOpen || hasToken ? null : headers.get("content-type");
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity" && !isUnpacked) {
    throw new ContractError(400, "Send the body uncompressed, without Content-Encoding.");
  }
  if (type !== null && !jsonType.test(type.trim())) {
    throw new ContractError(400, "Send the body as JSON in UTF-8: Content-Type: application/json.");
  }
}

function decode(bytes: Uint8Array, limits: JsonLimits): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return parseMeasured(text, limits);
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(400, "The body is not valid JSON in UTF-8.");
  }
}

function findUnstorable(value: unknown, path: readonly string[]): Issue | undefined {
  if (typeof value === "string") return unstorableText(value, path);
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const inner = [...path, key];
    const issue = unstorableText(key, path) ?? findUnstorable(item, inner);
    if (issue) return issue;
  }
  return undefined;
}

function unstorableText(text: string, path: readonly string[]): Issue | undefined {
  if (text.includes("\0")) return { path: path.join("."), message: "must not contain NUL" };
  if (/\p{Surrogate}/u.test(text)) {
    return { path: path.join("."), message: "must not contain half of a surrogate pair" };
  }
  return undefined;
}

/** Counts the request for its address first. Pages count apart, so that `/token` locks no one there out of sign-in. */
export async function readOpenBody(
  context: RequestContext,
  {
    limit = "open_door",
    bodyLimit = openBodyLimit,
    isPage = false,
  }: { limit?: LimitedAction | undefined; bodyLimit?: number | undefined; isPage?: boolean } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const address = addressLimitKey(context.clientAddress);
  await takeLimit(context.services.database, limit, isPage ? `page ${address}` : address);
  return context.readBody(bodyLimit);
}
