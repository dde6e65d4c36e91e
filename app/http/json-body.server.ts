import { ContractError, type Issue } from "~/contract/errors";

const deepest = 64;
const jsonType =
  /^application\/(?:json|[a-z0-9.+-]+\+json)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * Parses a body as JSON: 400 when it is none, 422 when it cannot be stored exactly as sent (NUL,
 * lone surrogates, numbers beyond double precision, deep nesting).
 */
export function parseJsonBody(bytes: Uint8Array, headers: Headers): unknown {
  refuseOtherTypes(headers);
  const { text, value } = decode(bytes);
  const outline = outlineOf(text);
  if (isDeeperThan(outline, deepest)) {
    throw invalid("", `must not be nested deeper than ${deepest} levels`);
  }
  const issue = findUnstorable(value, []) ?? findInexactNumber(outline);
  if (issue) throw invalid(issue.path, issue.message);
  return value;
}

/** No type at all is taken for JSON; a form can never reach an endpoint. */
function refuseOtherTypes(headers: Headers): void {
  const type = headers.get("content-type");
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new ContractError(400, "Send the body uncompressed, without Content-Encoding.");
  }
  if (type !== null && !jsonType.test(type.trim())) {
    throw new ContractError(400, "Send the body as JSON in UTF-8: Content-Type: application/json.");
  }
}

function decode(bytes: Uint8Array): { text: string; value: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return { text, value };
  } catch {
    throw new ContractError(400, "The body is not valid JSON in UTF-8.");
  }
}

/** Looks at the text, because walking a value of 100,000 levels would exhaust the stack. */
function isDeeperThan(outline: string, limit: number): boolean {
  let depth = 0;
  for (const [token] of outline.matchAll(/[[\]{}]/g)) {
    depth += token === "[" || token === "{" ? 1 : -1;
    if (depth > limit) return true;
  }
  return false;
}

/** The text of a JSON document without the contents of its strings. */
function outlineOf(text: string): string {
  let outline = "";
  let from = 0;
  for (let opens = text.indexOf('"'); opens >= 0; opens = text.indexOf('"', from)) {
    outline += text.slice(from, opens);
    let closes = text.indexOf('"', opens + 1);
    while (isEscaped(text, closes)) closes = text.indexOf('"', closes + 1);
    from = closes + 1;
  }
  return outline + text.slice(from);
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
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

/** A number that a double cannot hold would come back as another one. */
function findInexactNumber(outline: string): Issue | undefined {
  for (const [token] of outline.matchAll(/-?\d[\d.eE+-]*/g)) {
    if (isExact(token)) continue;
    return { path: "", message: `contains the number ${token.slice(0, 40)}, which is not exact` };
  }
  return undefined;
}

function isExact(token: string): boolean {
  if (/^-?\d{1,15}$/.test(token)) return true;
  const value = Number(token);
  return Number.isFinite(value) && canonical(token) === canonical(String(value));
}

/** Digits without leading and trailing zeros, and the exponent of the last one. */
function canonical(token: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${significant}e${scale}`;
}

function invalid(path: string, message: string): ContractError {
  return new ContractError(422, `The body ${path === "" ? "" : `at ${path} `}${message}.`, {
    issues: [{ path, message }],
  });
}
