import { apiTokenPrefix } from "~/contract/api-token";

/** Takes secrets out of what leaves this machine. */
export interface Redactor {
  clean(text: string): string;
  /** How much of a text that goes on may leave already without cutting a secret in two. */
  wholeLength(text: string): number;
}

const mark = "•••";
/** A shorter value would blacken ordinary words. */
const shortestSecret = 6;

const patterns = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  new RegExp(`\\b${apiTokenPrefix}[A-Za-z0-9_-]{8,}`, "g"),
  /\bsk-[A-Za-z0-9_-]{12,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,}/g,
  /\bgl(?:pat|oas|rt|cbt)-[A-Za-z0-9_-]{16,}/g,
];

/** Beginnings of what has spaces in it. A key without its end is held back until the end is there. */
const unfinished = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?![\s\S]*-----END [A-Z0-9 ]*PRIVATE KEY-----)/,
  /-----BEGIN[A-Z0-9 ]*-{0,4}$/,
];

/** Knows the shapes of well-known secrets, and the values that it is given: a list that may grow meanwhile. */
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

/** The same for each text within a value. */
export function cleanedValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((one) => cleanedValue(one, clean));
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).map(([name, one]) => [name, cleanedValue(one, clean)]);
  return Object.fromEntries(pairs);
}

/** The values as they are, as JSON writes them, and each long line of theirs; the longest first. */
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

/** Where the end of a text may be the beginning of a value. */
function begunIn(text: string, value: string): number {
  for (let length = Math.min(value.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(value.slice(0, length))) return text.length - length;
  }
  return text.length;
}
