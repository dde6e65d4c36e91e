import { createHash } from "node:crypto";
import { itemsOf, numberOf, withMark } from "~/wire/transfers/boxes";
import type { Upkeep } from "~/wire/upkeep/contract";
import { PeoplesWords } from "../../base/problems";
import { readTextAt, type TextFile } from "../../git/commit-texts";
import { gitPaths } from "../../git/git";

/** The files of a tree that are not as they should be, as they should be. */
export async function changesOf(folder: string, tree: string, upkeep: Upkeep): Promise<TextFile[]> {
  const { kind, content: lessons, product, has_landed: hasLanded } = upkeep;
  if (kind === "spec_boxes") return boxChanges(folder, tree, upkeep.content);
  const file = await readTextAt(folder, tree, "AGENTS.md");
  const text = withLessons(file.text, { lessons, product, hasLanded });
  return text === file.text ? [] : [{ ...file, text }];
}

const listed = /^((?:.*\/)?specs\/)([^/]+)\/tasks\.md$/;

/** Features are below the folder `specs` that is nearest to the root, as in the import. */
async function boxChanges(folder: string, tree: string, done: readonly string[]): Promise<TextFile[]> {
  const numbers = new Map<string, Set<string>>();
  for (const id of done) {
    const [feature = "", number = ""] = id.split("/");
    numbers.set(feature, (numbers.get(feature) ?? new Set()).add(number));
  }
  const paths = await gitPaths(folder, "ls-tree", "-r", "--full-tree", "--name-only", tree);
  const found = paths.flatMap((path) => {
    const [, root, feature = ""] = listed.exec(path) ?? [];
    const ticks = numbers.get(feature);
    return root === undefined || ticks === undefined ? [] : [{ path, root, ticks }];
  });
  const nearest = Math.min(...found.map(({ root }) => root.length));
  const changes: TextFile[] = [];
  for (const { path, root, ticks } of found) {
    if (root.length > nearest) continue;
    const file = await readTextAt(folder, tree, path);
    const text = withTicks(file.text ?? "", ticks);
    if (text !== file.text) changes.push({ ...file, text });
  }
  return changes;
}

/** The text of a tasks.md with the boxes of these numbers ticked, the first of each number as the import reads it. */
function withTicks(text: string, numbers: ReadonlySet<string>): string {
  const lines = text.split("\n");
  const seen = new Set<string>();
  for (const { kind, title, isTicked, line } of itemsOf(text)) {
    const number = numberOf(title)?.number;
    if (kind !== "box" || number === undefined || seen.has(number)) continue;
    seen.add(number);
    if (isTicked || !numbers.has(number)) continue;
    lines[line] = withMark(lines[line] ?? "", "x");
  }
  return lines.join("\n");
}

interface BlockOptions {
  lessons: readonly string[];
  /** Part of the marks: products may share the file. */
  product: string;
  /** Whether the main branch had the block before. */
  hasLanded: boolean;
}

/** The first mark has a hash of what is between the two, by which a person's change is seen. Null: no such file. */
function withLessons(text: string | null, options: BlockOptions): string | null {
  const lines = (text ?? "").split(/(?<=\n)/);
  const block = findBlock(lines, options);
  if (block === null) return options.lessons.length === 0 ? text : append(text ?? "", options);
  const [begin, end] = block;
  const [first = "", last = ""] = [lines[begin], lines[end]];
  const before = lines.slice(0, begin).join("");
  const after = lines.slice(end + 1).join("");
  if (options.lessons.length === 0) return withoutBlock(before, after, last);
  const eol = /\r?\n$/.exec(first)?.[0] ?? "\n";
  const lead = /^\s*/.exec(first)?.[0] ?? "";
  const tail = /\r?\n$/.exec(last)?.[0] ?? "";
  return `${before}${lead}${blockOf(options).join(eol)}${tail}${after}`;
}

/** Numbers of the lines with the two marks, or null without a block. */
function findBlock(lines: readonly string[], { product, hasLanded, lessons }: BlockOptions) {
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

function blockOf({ lessons, product }: BlockOptions): string[] {
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
function append(text: string, options: BlockOptions): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const block = blockOf(options).join(eol);
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
