import { ContractError } from "./errors";

/** How much a JSON document of a request may hold. Real ones are far below; beyond it lies only work for nothing. */
export const jsonLimits = { depth: 64, values: 50_000 } as const;
const mostDigits = 1_100;

/**
 * Parses JSON that somebody sent. It is measured in one pass before anything is built of it: depth, number of
 * values, length and exactness of numbers (422). What is no JSON at all throws a SyntaxError.
 */
export function parseMeasured(text: string): unknown {
  const excess = measureJson(text);
  // A malformed document is malformed first, whatever else is wrong with it.
  const value: unknown = JSON.parse(text);
  if (excess) throw unacceptable("", excess);
  return value;
}

export function unacceptable(path: string, message: string): ContractError {
  return new ContractError(422, `The body ${path === "" ? "" : `at ${path} `}${message}.`, {
    issues: [{ path, message }],
  });
}

/** Says what is too much, or nothing. Each character is looked at once; strings are skipped whole. */
export function measureJson(
  text: string,
  limits: { depth: number; values: number } = jsonLimits,
): string | undefined {
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

function isDigit(sign: string): boolean {
  return sign >= "0" && sign <= "9";
}

function endOfNumber(text: string, from: number): number {
  let end = from;
  while (end < text.length && /[\d.eE+-]/.test(text[end] ?? "")) end += 1;
  return end;
}

/** Where a string closes; the end of the text when it never does. */
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

/** A number (without its sign) that a double cannot hold would come back as another one. */
function isExact(token: string): boolean {
  if (token.length <= 15 && /^\d+$/.test(token)) return true;
  if (token.length > mostDigits) return false;
  const value = Number(token);
  return Number.isFinite(value) && canonical(token) === canonical(String(value));
}

/** Digits without leading and trailing zeros, and the exponent of the last one. */
function canonical(token: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = withoutTrailingZeros(digits);
  if (significant === "") return "0";
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${significant}e${scale}`;
}

/** By a loop: a regular expression for "zeros at the end" tries again from every zero in between. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
