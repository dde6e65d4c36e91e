import { readLine as readMarks } from "~/wire/transfers/boxes";

/** A story or task from a pasted list. Lines below task level become the description of the item above. */
export type ListItem = { title: string; description: string; tasks: ListItem[] };

export interface PastedList {
  /** The first line if it is a heading and all others are below it: of the whole list, and no item. */
  title?: string | undefined;
  items: ListItem[];
  /** Ticked lines and the lines below them. They are done, so they are left out. */
  ticked: number;
}

export const listLimits = { characters: 20_000, title: 300 } as const;

type Line = { depth: number; text: string; ticked: boolean };

/** Lines, bullets, numbers, boxes, headings, by indentation: a PBI gets stories and their tasks, a story tasks. */
export function readPastedList(text: string, into: "pbi" | "story"): PastedList {
  const cut = text.slice(0, listLimits.characters);
  const rows = readTable(cut);
  if (rows) return { items: rows, ticked: 0 };
  const items: ListItem[] = [];
  const levels: number[] = [];
  let story: ListItem | undefined;
  let current: ListItem | undefined;
  let ticked = 0;
  let skipped: number | null = null;
  const [first, ...below] = cut
    .split("\n")
    .map(readLine)
    .filter((line) => line.text !== "");
  const isTitled = below.length > 0 && below.every(({ depth }) => first && first.depth < Math.min(depth, 0));
  for (const line of first && !isTitled ? [first, ...below] : below) {
    if (skipped !== null && line.depth > skipped) {
      ticked += 1;
      continue;
    }
    skipped = line.ticked ? line.depth : null;
    if (line.ticked) {
      ticked += 1;
      continue;
    }
    while ((levels.at(-1) ?? Number.NEGATIVE_INFINITY) >= line.depth) levels.pop();
    levels.push(line.depth);
    const level = levels.length;
    if (level === 1 || !story) {
      current = itemOf(line.text);
      story = current;
      items.push(current);
    } else if (level === 2 && into === "pbi") {
      current = itemOf(line.text);
      story.tasks.push(current);
    } else if (current) {
      current.description += `${current.description === "" ? "" : "\n"}- ${line.text}`;
    }
  }
  return { title: isTitled ? first?.text : undefined, items, ticked };
}

const titleColumn = /^(title|name|summary|subject|story|task|issue)$/i;

/** Reads the rows of a Markdown table, and of CSV or cells of a spreadsheet whose first line names a title. */
function readTable(text: string): ListItem[] | null {
  const [first = "", second = "", ...others] = text.trim().split(/\r?\n/);
  const isMarkdown = first.includes("|") && second.includes("|") && /^[\s|:-]+$/.test(second);
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, "")
      .split("|");
  const separator = ["\t", ";", ","].find((sign) => first.includes(sign)) ?? "\t";
  const [head = [], ...rows] = isMarkdown ? [first, ...others].map(cells) : csvCells(text.trim(), separator);
  const title = head.findIndex((name) => titleColumn.test(name.trim()));
  if (title === -1 && !isMarkdown) return null;
  const about = head.findIndex((name) => /^(description|details|notes|body)$/i.test(name.trim()));
  return rows.flatMap((row) => {
    const item = itemOf(row[Math.max(0, title)]?.trim() ?? "");
    return item.title === "" ? [] : { ...item, description: row[about]?.trim() || item.description };
  });
}

/** Quotes hold separators and line ends; a doubled one is a quote. */
function csvCells(text: string, separator: string): string[][] {
  const rows = [[""]];
  const add = (words: string) => rows.at(-1)?.push(`${rows.at(-1)?.pop() ?? ""}${words}`);
  for (const [index, part] of text.split('"').entries()) {
    if (index % 2 === 1) add(part);
    else if (part === "" && index > 0 && index < text.split('"').length - 1) add('"');
    else
      for (const [line, words] of part.split(/\r?\n/).entries()) {
        if (line > 0) rows.push([""]);
        for (const [cell, word] of words.split(separator).entries()) {
          if (cell > 0) rows.at(-1)?.push("");
          add(word);
        }
      }
  }
  return rows;
}

function readLine(line: string): Line {
  const content = line.trim();
  const heading = /^(#{1,6})\s/.exec(content)?.[1];
  const { indent, isQuoted, rest, box } = readMarks(line);
  // Headings are above all other lines.
  if (heading) return { depth: heading.length - 10, text: content.slice(heading.length).trim(), ticked: false };
  const text = isQuoted ? content : (box?.title ?? rest);
  return { depth: indent, text, ticked: box?.mark === "x" && !isQuoted };
}

/** Creates an item from a line. If it is too long for a title, the whole line goes into the description. */
function itemOf(text: string): ListItem {
  if (text.length <= listLimits.title) return { title: text, description: "", tasks: [] };
  return { title: `${text.slice(0, listLimits.title - 1).trimEnd()}…`, description: text, tasks: [] };
}

/** Returns for example "3 stories and 5 tasks", or "nothing". */
export function listSentence(stories: number, tasks: number): string {
  const parts = [
    stories === 0 ? "" : stories === 1 ? "1 story" : `${stories} stories`,
    tasks === 0 ? "" : tasks === 1 ? "1 task" : `${tasks} tasks`,
  ];
  return parts.filter(Boolean).join(" and ") || "nothing";
}

export function countItems({ items }: PastedList, into: "pbi" | "story") {
  const below = items.reduce((sum, { tasks }) => sum + tasks.length, 0);
  return into === "pbi" ? { stories: items.length, tasks: below } : { stories: 0, tasks: items.length };
}
