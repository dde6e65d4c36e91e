import { createHash } from "node:crypto";
import { PeoplesWords } from "../../base/peoples-words";

interface Wish {
  lessons: readonly string[];
  /** Part of the marks: products may share the file. */
  product: string;
  /** Whether the main branch had the block before. */
  hasLanded: boolean;
}

/**
 * The text of AGENTS.md with these lessons in its block, and all else as it is. The first mark holds a hash of what is
 * between the two, by which a person's change is seen. Null means that the file is missing.
 */
export function withLessons(text: string | null, wish: Wish): string | null {
  const lines = (text ?? "").split(/(?<=\n)/);
  const block = findBlock(lines, wish);
  if (block === null) return wish.lessons.length === 0 ? text : append(text ?? "", wish);
  const [begin, end] = block;
  const [first = "", last = ""] = [lines[begin], lines[end]];
  const before = lines.slice(0, begin).join("");
  const after = lines.slice(end + 1).join("");
  if (wish.lessons.length === 0) return withoutBlock(before, after, last);
  const eol = /\r?\n$/.exec(first)?.[0] ?? "\n";
  const lead = /^\s*/.exec(first)?.[0] ?? "";
  const tail = /\r?\n$/.exec(last)?.[0] ?? "";
  return `${before}${lead}${blockOf(wish).join(eol)}${tail}${after}`;
}

/** Numbers of the lines with the two marks, or null without a block. */
function findBlock(lines: readonly string[], { product, hasLanded, lessons }: Wish) {
  const numbers = (isMark: (line: string) => boolean) =>
    lines.flatMap((line, number) => (isMark(line.trim()) ? [number] : []));
  const mark = new RegExp(`^<!-- backloom lessons ${product}(?: ([0-9a-f]{12}))? -->$`);
  const begins = numbers((line) => mark.test(line));
  const ends = numbers((line) => line === endMark(product));
  const [[begin, ...second], [end, ...more]] = [begins, ends];
  if (begin === undefined && end === undefined) {
    if (!hasLanded || lessons.length === 0) return null;
    throw new PeoplesWords(
      `Someone took the lessons out of AGENTS.md, so they stay out. To have them there again, write these two lines where they belong: <!-- backloom lessons ${product} --> and ${endMark(product)}`,
    );
  }
  if (begin === undefined || end === undefined || second.length + more.length > 0 || end < begin) {
    throw new PeoplesWords(
      `AGENTS.md has not exactly one pair of the lines <!-- backloom lessons ${product} --> and ${endMark(product)}. Leave one of each, in this order.`,
    );
  }
  const inner = lines.slice(begin + 1, end);
  const [, hash] = mark.exec(lines[begin]?.trim() ?? "") ?? [];
  if (inner.some((line) => line.trim() !== "") && hash !== hashOf(inner)) {
    throw new PeoplesWords(
      "Someone changed AGENTS.md between the two comments of its lessons, so it is left as it is. Move their words out of there and leave nothing between the comments; the lessons are then written again.",
    );
  }
  return [begin, end] as const;
}

function endMark(product: string): string {
  return `<!-- /backloom lessons ${product} -->`;
}

/** Ends of lines do not count: git may change them. */
function hashOf(lines: readonly string[]): string {
  const text = lines.map((line) => line.trimEnd()).join("\n");
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function blockOf({ lessons, product }: Wish): string[] {
  const inner = [
    "## What this team has learned",
    "",
    "Accepted in Backloom after work had come back. Change it there: what is between these two comments is replaced.",
    "",
    ...lessons.map((lesson) => `- ${lineOf(lesson)}`),
  ];
  return [`<!-- backloom lessons ${product} ${hashOf(inner)} -->`, ...inner, endMark(product)];
}

/** A lesson stays one item of the list: it begins no line, and opens or closes no markup. */
function lineOf(lesson: string): string {
  const line = lesson.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.slice(0, 300).replace(/<(?=[a-z/!?])/gi, "&lt;");
}

/** A file without a last line end gets none. */
function append(text: string, wish: Wish): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const block = blockOf(wish).join(eol);
  if (text === "") return `${block}\n`;
  return text.endsWith("\n") ? `${text}${eol}${block}${eol}` : `${text}${eol}${eol}${block}`;
}

/** At the end of the file, the empty line goes that came with the block; a file with nothing else goes as a whole. */
function withoutBlock(before: string, after: string, last: string): string | null {
  if (after !== "") return `${before}${after}`;
  const isOpen = !last.endsWith("\n");
  const rest = before.replace(isOpen ? /(?:\r?\n){0,2}$/ : /(?<=\n)\r?\n$/, "");
  return rest === "" ? null : rest;
}
