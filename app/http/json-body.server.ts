import { ContractError, type Issue } from "~/contract/errors";
import { jsonLimits, openJsonLimits, parseMeasured, unacceptable } from "~/contract/measured-json";

const jsonType =
  /^application\/(?:json|[a-z0-9.+-]+\+json)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * Parses a body as JSON. Throws 400 if it is not JSON, 422 if it cannot be stored exactly as sent (NUL,
 * lone surrogates, numbers beyond double precision, deep nesting). `isOpen`: from someone who has not signed in.
 */
export function parseJsonBody(bytes: Uint8Array, headers: Headers, isOpen = false): unknown {
  refuseOtherTypes(headers, isOpen);
  const value = decode(bytes, isOpen);
  const issue = findUnstorable(value, []);
  if (issue) throw unacceptable(issue.path, issue.message);
  return value;
}

/**
 * Refuses encodings, and other content types where a session's cookie came along: a form of another site sends one, and
 * always with a type. It has no bearer token, so a program that has one may leave the type to its tools (`curl -d`).
 */
function refuseOtherTypes(headers: Headers, isOpen: boolean): void {
  const hasToken = /^bearer /i.test(headers.get("authorization") ?? "");
  const type = isOpen || hasToken ? null : headers.get("content-type");
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new ContractError(400, "Send the body uncompressed, without Content-Encoding.");
  }
  if (type !== null && !jsonType.test(type.trim())) {
    throw new ContractError(400, "Send the body as JSON in UTF-8: Content-Type: application/json.");
  }
}

function decode(bytes: Uint8Array, isOpen: boolean): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return parseMeasured(text, isOpen ? openJsonLimits : jsonLimits);
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
