import { apiTokenPrefix } from "~/wire/api-tokens/contract";

export interface Redactor {
  clean(text: string): string;
  /** Length of a streamed text that can be sent without cutting a secret in two. */
  wholeLength(text: string): number;
}

const mark = "•••";
/** Shorter values would redact ordinary words. */
const shortestSecret = 6;

const patterns = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  new RegExp(`\\b${apiTokenPrefix}[A-Za-z0-9_-]{8,}`, "g"),
  /\bsk-[A-Za-z0-9_-]{12,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,}/g,
  /\bgl(?:pat|oas|rt|cbt)-[A-Za-z0-9_-]{16,}/g,
];

/** Beginnings of secrets that contain spaces. Held back until the end arrives. */
const unfinished = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?![\s\S]*-----END [A-Z0-9 ]*PRIVATE KEY-----)/,
  /-----BEGIN[A-Z0-9 ]*-{0,4}$/,
];

/** Redacts the given values and well-known secret formats. The list may grow later. */
export function createRedactor(secrets: readonly string[]): Redactor {
  let known = secrets.length;
  let variants = variantsOf(secrets);
  const values = (): readonly string[] => {
    if (secrets.length !== known) {
      known = secrets.length;
      variants = variantsOf(secrets);
    }
    return variants;
  };
  return {
    clean(text) {
      const named = values().reduce((left, value) => left.replaceAll(value, mark), text);
      return patterns.reduce((left, pattern) => left.replace(pattern, mark), named);
    },
    wholeLength(text) {
      const lastSpace = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n"));
      let length = lastSpace + 1;
      for (const pattern of unfinished) {
        const begin = text.search(pattern);
        if (begin >= 0) length = Math.min(length, begin);
      }
      for (const value of values()) length = Math.min(length, begunIn(text, value));
      return length;
    },
  };
}

/** Cleans every string within a value. */
export function cleanedValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((one) => cleanedValue(one, clean));
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).map(([name, one]) => [name, cleanedValue(one, clean)]);
  return Object.fromEntries(pairs);
}

/** Each value as is, JSON-escaped, and its long lines; longest first. */
function variantsOf(secrets: readonly string[]): string[] {
  const all = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...secret.split("\n").map((line) => line.trim()),
  ]);
  return [...new Set(all)]
    .filter((value) => value.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
}

/** Index where the text's end may be the start of a value. */
function begunIn(text: string, value: string): number {
  for (let length = Math.min(value.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(value.slice(0, length))) return text.length - length;
  }
  return text.length;
}
