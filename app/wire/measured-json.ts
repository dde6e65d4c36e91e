import { ContractError } from "./errors";

/** Limits of JSON in a request. Real documents are far below them. */
export const jsonLimits = { depth: 64, values: 50_000 } as const;
/** Those of a body that an endpoint takes packed: a list of rows, each small. */
export const packedJsonLimits = { depth: 8, values: 200_000 } as const;
/** Those of someone who has not signed in. */
export const openJsonLimits = { depth: 16, values: 1_000 } as const;
const mostDigits = 1_100;

export type JsonLimits = { depth: number; values: number };

/** First checks depth, number of values and exactness of numbers in one pass (422). SyntaxError if malformed. */
export function parseMeasured(text: string, limits: JsonLimits = jsonLimits): unknown {
  const excess = measureJson(text, limits);
  // Parse first: for malformed JSON the SyntaxError takes precedence.
  const value: unknown = JSON.parse(text);
  if (excess) throw unacceptable("", excess);
  return value;
}

export function unacceptable(path: string, message: string): ContractError {
  return new ContractError(422, `The body ${path === "" ? "" : `at ${path} `}${message}.`, {
    issues: [{ path, message }],
  });
}

/** Returns which limit is exceeded, or undefined. Reads each character once and skips over strings. */
export function measureJson(text: string, limits: JsonLimits = jsonLimits): string | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (sign === '"') {
      at = endOfString(text, at);
    } else if (sign === "[" || sign === "{") {
      depth += 1;
      values += 1;
      if (depth > limits.depth) return `must not be nested deeper than ${limits.depth} levels`;
    } else if (sign === "]" || sign === "}") {
      depth -= 1;
    } else if (sign === ",") {
      values += 1;
    } else if (isDigit(sign)) {
      const end = endOfNumber(text, at);
      const token = text.slice(at, end);
      if (!isExact(token)) return `contains the number ${token.slice(0, 40)}, which is not exact`;
      at = end - 1;
    }
    if (values > limits.values) return `must not hold more than ${limits.values} values`;
  }
  return undefined;
}

const isDigit = (sign: string): boolean => sign >= "0" && sign <= "9";

function endOfNumber(text: string, from: number): number {
  let end = from;
  while (end < text.length && /[\d.eE+-]/.test(text[end] ?? "")) end += 1;
  return end;
}

/** Returns the index of a string's closing quote, or the end of the text. */
function endOfString(text: string, opens: number): number {
  let closes = text.indexOf('"', opens + 1);
  while (closes >= 0 && isEscaped(text, closes)) closes = text.indexOf('"', closes + 1);
  return closes < 0 ? text.length : closes;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

/** Whether a double holds the number (without its sign) exactly. */
function isExact(token: string): boolean {
  if (token.length <= 15 && /^\d+$/.test(token)) return true;
  if (token.length > mostDigits) return false;
  const value = Number(token);
  return Number.isFinite(value) && canonical(token) === canonical(String(value));
}

/** Returns the digits without leading and trailing zeros, and the exponent of the last digit. */
function canonical(token: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = withoutTrailingZeros(digits);
  if (significant === "") return "0";
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${significant}e${scale}`;
}

/** A loop, because `/0+$/` retries from every inner zero (quadratic time). */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
