import type { Draft } from "./draft";

/** A list item or a heading of a Markdown text. A sample looks like a box and is none. */
export interface Item {
  kind: "box" | "item" | "heading" | "sample";
  title: string;
  /** What is between the brackets: empty for an open box. */
  mark: string;
  isTicked: boolean;
  /** Number of its line, from 0. */
  line: number;
  /** The heading above it. */
  heading: string;
  /** Lines that belong to it: those below it that are indented. */
  details: string[];
}

/** Quotes, table rows, comments, headings and list markers at the beginning of a line, in any order. */
const lead = /^(?:[\s>|]|<!--|#{1,6}(?=\s)|(?:[-*+•–]|\d{1,9}[.)])(?=[\s>|[\\]|$))*/;
/** One sign or letter in brackets. Digits are notes, and an address behind it makes it a link. */
const box = /^\\?\[\s{0,4}([^\s\d\]\\][\uFE0F\p{M}]?)?\s{0,4}\\?\](?!\()(.*)$/u;
const fence = /^(`{3,}|~{3,})[^`]*$/;

/** `T012` or `T-012`, its marks such as `[P]` and `[US1]`, and what is to do. */
const numbered =
  /^[*_`[]{0,3}(T-?\d{1,6}[a-z]?)[\]*_`:.]{0,4}\s{1,4}(?:[-–—]\s{1,4})?((?:\[[^\]]{1,40}\]\s{0,4}){0,6})(\S.*)$/;

/** The number that Spec Kit gives a task; undefined without one. */
export function numberOf(title: string) {
  const [, number, marks = "", said = ""] = numbered.exec(title) ?? [];
  return number === undefined ? undefined : { number, marks, said };
}

/** What a form makes people say ("I have searched…") is not work. */
export const isOfForm = ({ title }: Item): boolean => /^I(?:['’][a-z]+)? /.test(title);

/** A line of a box with another mark. */
export function withMark(line: string, mark: string): string {
  return line.replace(/\\?\[[^\]]*\](\s*)/, (_box, blanks: string) => `[${mark}]${blanks || " "}`);
}

interface Line {
  text: string;
  /** Columns before its first sign, and before its words. */
  indent: number;
  content: number;
  /** What follows the marks at its beginning. */
  rest: string;
  isListed: boolean;
  isQuoted: boolean;
  /** Whether so many blanks follow its marker that CommonMark reads code. */
  isCode: boolean;
  /** Words of its box, and the mark of that. */
  box: { title: string; mark: string } | undefined;
  /** Words of a heading. */
  headed: string | undefined;
  /** The signs that begin a block of code. */
  fence: string;
}

/** Reads a line by itself. */
export function readLine(text: string): Line {
  const [start = ""] = lead.exec(text) ?? [];
  const rest = text.slice(start.length).trimEnd();
  const [before, after] = [columnsOf(start.trimEnd()), columnsOf(start)];
  const [hashes] = /^\s*#+\s+/.exec(start) ?? [];
  const isMarked = /[^\s>|#]/.test(start.replaceAll("<!--", ""));
  const isListed = isMarked && hashes === undefined;
  const isCode = isListed && after - before > 4;
  return {
    text,
    rest,
    isListed,
    isCode,
    isQuoted: /[>|]|<!--/.test(start),
    indent: columnsOf(/^\s*/.exec(text)?.[0] ?? ""),
    content: isCode || (isListed && rest === "") ? before + 1 : after,
    box: boxIn(rest, isMarked),
    headed: (hashes && text.slice(hashes.length).trim()) || undefined,
    fence: fence.exec(rest)?.[1] ?? "",
  };
}

/** Without a list, only the usual marks and words make a box. */
function boxIn(rest: string, isListed: boolean): Line["box"] {
  const found = box.exec(rest);
  if (found === null) return undefined;
  const [, mark = "", said = ""] = found;
  const title = said.replace(/^\s*:\s/, "").trim();
  if (!isListed && (!/^x?$/i.test(mark) || /^[:[]/.test(said) || title === "")) return undefined;
  return { title, mark: /^x$/i.test(mark) ? "x" : mark };
}

function columnsOf(blanks: string): number {
  let columns = 0;
  for (const sign of blanks) columns += sign === "\t" ? 4 - (columns % 4) : 1;
  return columns;
}

/** Words of a box in a line of code, a comment, a quote or a table. */
function sampleIn(line: Line): string | undefined {
  const cells = /^[\s>]*\|/.test(line.text) ? line.text.split("|") : [];
  const isInCell = cells.some((cell) => box.test(readLine(cell).rest));
  return line.box?.title ?? (isInCell ? line.rest : undefined);
}

/** Reads a text line by line, as CommonMark nests its blocks. */
class Reader {
  readonly items: Item[] = [];
  private fenceEnd = "";
  private isComment = false;
  /** Whether code may begin, and whether the line before was some. */
  private isFree = true;
  private isCode = false;
  /** Columns at which the open list items begin. */
  private columns: number[] = [];
  private heading = "";
  private open: (Item & { indent: number }) | undefined;

  read(text: string, number: number): void {
    const line = readLine(text);
    if (this.fenceEnd !== "" || this.isComment) this.readQuoted(line, number);
    else if (text.trim() === "") {
      this.isFree = true;
      this.open?.details.push("");
    } else {
      const wasFree = this.isFree;
      this.place(line);
      if (this.isCode || line.isQuoted) this.readSample(line, number);
      else this.readBlock(line, number, wasFree);
    }
  }

  /** Which list items a line ends, whether it is code, and whether it begins a comment. */
  private place(line: Line): void {
    if (this.isFree || line.isListed || line.headed || line.fence)
      while ((this.columns.at(-1) ?? 0) > line.indent) this.columns.pop();
    const isDeep = line.indent - (this.columns.at(-1) ?? 0) >= 4;
    this.isCode = isDeep && (this.isFree || this.isCode);
    this.isFree = false;
    if (this.isCode) return;
    const shown = line.text.replace(/`[^`]*`/g, "");
    const opened = shown.lastIndexOf("<!--");
    this.isComment = opened >= 0 && !shown.includes("-->", opened);
    if (line.isListed && !line.isQuoted) this.columns.push(line.content);
  }

  private readBlock(line: Line, number: number, wasFree: boolean): void {
    const { text, fence: end, headed: title } = line;
    if (end === "" && title !== undefined && this.columns.length === 0) {
      this.add(line.box ? "box" : "heading", line.box ?? { title, mark: "" }, line, number);
      [this.heading, this.open, this.isFree] = [title, undefined, true];
    } else if (end === "" && (line.box || line.isListed)) this.readItem(line, number);
    else if (line.indent === 0 && (wasFree || /^[-=*_ ]{3,}$/.test(text))) this.open = undefined;
    else this.open?.details.push(text);
    this.fenceEnd = end;
  }

  /** In a fence or a comment, up to its end. */
  private readQuoted(line: Line, number: number): void {
    const said = line.text.trim();
    const closes = said.length >= this.fenceEnd.length && /^(`+|~+)$/.test(said);
    const isEnd = this.isComment ? said.includes("-->") : closes && said[0] === this.fenceEnd[0];
    this.readSample(line, number);
    if (isEnd) [this.fenceEnd, this.isComment, this.isFree] = ["", false, true];
  }

  private readSample(line: Line, number: number): void {
    const title = sampleIn(line);
    if (title !== undefined) this.add("sample", { title, mark: "" }, line, number);
    if (line.indent === 0 && this.fenceEnd === "") this.open = undefined;
    if (!this.isComment) this.open?.details.push(line.text);
  }

  private readItem(line: Line, number: number): void {
    const isSample = line.box?.title === "" || line.isCode;
    if (line.box) this.open = this.add(isSample ? "sample" : "box", line.box, line, number);
    else if (this.open !== undefined && line.indent > this.open.indent) this.open.details.push(line.text);
    else if (line.rest !== "") this.open = this.add("item", { title: line.rest, mark: "" }, line, number);
  }

  private add(kind: Item["kind"], box: { title: string; mark: string }, line: Line, number: number) {
    const item: Item & { indent: number } = {
      kind,
      ...box,
      isTicked: box.mark === "x",
      line: number,
      heading: this.heading,
      details: [],
      indent: line.indent,
    };
    this.items.push(item);
    return item;
  }
}

/** The list items and headings of a Markdown text, with the boxes that are only samples. */
export function itemsOf(text: string): Item[] {
  const reader = new Reader();
  for (const [number, line] of text.split("\n").entries()) reader.read(line, number);
  return reader.items.map((item) => ({ ...item, details: withoutIndent(item.details) }));
}

function withoutIndent(lines: readonly string[]): string[] {
  const said = lines.filter((line) => line.trim() !== "");
  const shared = Math.min(...said.map((line) => line.search(/\S/)));
  const text = lines
    .map((line) => line.slice(shared).trimEnd())
    .join("\n")
    .trim();
  return text === "" ? [] : text.split("\n");
}

/** The items of a text that are work or words; boxes that are samples are named. */
export function readItems({ leftOut }: Draft, text: string): Item[] {
  const items = itemsOf(text);
  for (const { title } of items.filter(({ kind }) => kind === "sample"))
    leftOut.add("Boxes without words, or in code, quotes, comments and tables", 1, title);
  return items.filter(({ kind }) => kind !== "sample");
}

/** The state of a box. A mark other than x is open, and named as a status. */
export function stateOfBox(draft: Draft, { mark, isTicked }: Item): "DONE" | "TO_DO" {
  if (mark !== "" && !isTicked) draft.countStatus(`[${mark}]`, "TO_DO", false);
  return isTicked ? "DONE" : "TO_DO";
}
