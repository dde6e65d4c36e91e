/** A box of a task list. */
interface Box {
  title: string;
  isTicked: boolean;
}

const box = /^\s{0,6}(?:[-*+]|\d{1,3}[.)]) \[([ xX])\] (.+)$/;
const fence = /^\s*(`{3,}|~{3,})/;

/** What a form makes people say ("I have searched…") is no work. */
export function isOfForm({ title }: Box): boolean {
  return /^I(?:['’][a-z]+)? /.test(title);
}

/** The boxes of a Markdown text. Those in comments and code are samples. */
export function boxesOf(text: string): Box[] {
  const boxes: Box[] = [];
  let end: string | undefined;
  for (const line of text.split("\n")) {
    if (end !== undefined) {
      if (end === "-->" ? line.includes(end) : line.trim().startsWith(end)) end = undefined;
      continue;
    }
    end = fence.exec(line)?.[1];
    const comment = line.lastIndexOf("<!--");
    if (comment >= 0 && !line.includes("-->", comment)) end = "-->";
    const [, mark, title] = box.exec(line.trimEnd()) ?? [];
    if (title !== undefined) boxes.push({ title, isTicked: mark !== " " });
  }
  return boxes;
}
