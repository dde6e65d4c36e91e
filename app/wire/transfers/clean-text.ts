import { isVisible } from "../text";
import { titleLimit } from "./exported-parts";

const mostText = 90_000;

export function cleanText(text = ""): string {
  const clean = text
    .replaceAll("\0", "")
    .replaceAll("\r\n", "\n")
    .replace(/\p{Surrogate}/gu, "")
    .trim();
  return clean.length <= mostText ? clean : `${clean.slice(0, mostText).replace(/\p{Surrogate}/gu, "")}…`;
}

export function cleanLine(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/\p{Surrogate}/gu, "")
    .trim();
}

/** A title that can be seen; without one, the name that it has there. */
export function cleanTitle(text: string, name = ""): string {
  const line = cleanLine(text);
  if (!isVisible(line)) return `Untitled ${name.slice(0, 200)}`.trim();
  const letters = [...line];
  return letters.length <= titleLimit - 40 ? letters.join("") : `${letters.slice(0, titleLimit - 41).join("")}…`;
}

/** Keeps keys such as ENG-12, but not those that look like codes generated here. */
export function codeOf(code: string | undefined): string | null {
  if (!code || !/^[A-Za-z0-9._-]{1,30}$/.test(code)) return null;
  return /^(?:PBI|ST|T|SP|IDEA)-/i.test(code) ? null : code;
}

/** A time that can be stored: without one, or with a year such as 0 or 10000, the import's own counts. */
export function timeOf(value: string | undefined): string | undefined {
  const time = value ? new Date(value) : undefined;
  const text = time && !Number.isNaN(time.getTime()) ? time.toISOString() : "";
  return /^(?!0000)\d{4}-/.test(text) ? text : undefined;
}

/** Appends what has no field here, a line each. */
export function withFacts(text: string, facts: Readonly<Record<string, string>>): string {
  const lines = Object.entries(facts)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${value}`);
  return [text, ...lines].join("\n\n").trim();
}

/** Appends comments to the description. */
export function withComments(text: string, comments: readonly string[]): string {
  const said = comments.filter((comment) => comment.trim() !== "");
  return said.length === 0 ? text : `${text}\n\n## Comments\n\n${said.join("\n\n---\n\n")}`.trim();
}
