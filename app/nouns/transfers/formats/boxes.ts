/** A box of a task list. */
export interface Box {
  title: string;
  isTicked: boolean;
  /** Number of its line, from 0. */
  line: number;
  /** The heading above it. */
  heading: string;
  /** Lines that belong to it: those below it that are indented. */
  details: string[];
}

const box = /^\s{0,6}(?:[-*+]|\d{1,3}[.)]) \[([ xX])\] (.+)$/;
const fence = /^\s*(`{3,}|~{3,})/;
const headed = /^#{1,6} +(\S.*)$/;

/** `T012`, its marks such as `[P]` and `[US1]`, and what is to do. */
const numbered =
  /^[*_`[]{0,3}(T\d{1,6}[a-z]?)[\]*_`:.]{0,4}\s{1,4}((?:\[[^\]]{1,40}\]\s{0,4}){0,6})(\S.*)$/;

/** The number that Spec Kit gives a task; undefined without one. */
export function numberOfBox(title: string) {
  const [, number, marks = "", said = ""] = numbered.exec(title) ?? [];
  return number === undefined ? undefined : { number, marks, said };
}

/** What a form makes people say ("I have searched…") is not work. */
export function isOfForm({ title }: Box): boolean {
  return /^I(?:['’][a-z]+)? /.test(title);
}

/** The boxes of a Markdown text. Those in comments and code are samples. */
export function boxesOf(text: string): Box[] {
  const boxes: Box[] = [];
  let end: string | undefined;
  let heading = "";
  let open: Box | undefined;
  for (const [number, line] of text.split("\n").entries()) {
    if (end !== undefined) {
      if (end === "-->" ? line.includes(end) : line.trim().startsWith(end)) end = undefined;
      continue;
    }
    end = fence.exec(line)?.[1];
    const comment = line.lastIndexOf("<!--");
    if (comment >= 0 && !line.includes("-->", comment)) end = "-->";
    const [, mark, title] = box.exec(line.trimEnd()) ?? [];
    if (title !== undefined) {
      open = { title, isTicked: mark !== " ", line: number, heading, details: [] };
      boxes.push(open);
      continue;
    }
    heading = headed.exec(line)?.[1] ?? heading;
    if (/^\S/.test(line)) open = undefined;
    else if (line.trim() !== "" && end === undefined) open?.details.push(line.trim());
  }
  return boxes;
}
