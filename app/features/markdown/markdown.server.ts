import { type Formatted, FormatterThread, within } from "./formatter-thread.server";
import source from "./markdown-thread?thread";
import type { SafeHtml } from "./prose";
import { RecentlyMade } from "./recently-made.server";

/** What no person writes: marks in a text, containers in one line. The work grows with their square or their stack. */
const mostMarks = 8_000;
const mostMarksOfParagraph = 2_000;
const mostContainers = 40;
/** Characters of texts and their HTML that are kept, so that a page seen again costs nothing. */
const mostKept = 8_000_000;

/** A page waits so long for a text, and is then shown with it as it was written; at first the thread has to start. */
const longestWait = 500;
const longestStart = 6_000;

/** A text that took too long is tried again after this time: perhaps it was the machine. */
const tryAgainAfter = 600_000;

interface Kept {
  html: string;
  until: number;
}

const markdownThread = new FormatterThread(source);
const kept = new RecentlyMade<Kept>(mostKept);
/** What is being formatted, by who looks at it and the text. */
const begun = new Map<string, Promise<Formatted>>();

/**
 * A text in Markdown as sanitised HTML, made on the server so that no page carries a parser, and in a thread of its own so
 * that no text holds up a request of somebody else. What is too intricate is shown as it was written, and so is what is not
 * ready soon, until it is. `viewer` is whose turn it takes.
 */
export async function renderMarkdown(
  text: string | null | undefined,
  viewer: string,
): Promise<SafeHtml | null> {
  if (!text?.trim()) return null;
  const known = kept.get(text);
  if (known && known.until > Date.now()) return { html: known.html };
  const patience = markdownThread.hasBegun ? longestWait : longestStart;
  const outcome = await within(patience, formatOnce(text, viewer));
  if (outcome === "too-busy")
    return { html: asWritten(text, "until it is formatted"), unfinished: true };
  return { html: outcome === "too-heavy" ? asTooHeavy(text) : outcome.made };
}

function asTooHeavy(text: string): string {
  return asWritten(text, "because formatting it would take too long");
}

/** Asked again by the same viewer, it is the same turn. */
function formatOnce(text: string, viewer: string): Promise<Formatted> {
  const key = `${viewer}\n${text}`;
  const earlier = begun.get(key);
  if (earlier) return earlier;
  const formatted = isTooIntricate(text)
    ? Promise.resolve("too-heavy" as const)
    : markdownThread.format(text, viewer);
  begun.set(key, formatted);
  void formatted.then((outcome) => {
    begun.delete(key);
    keep(text, outcome);
  });
  return formatted;
}

function keep(text: string, outcome: Formatted): void {
  if (outcome === "too-busy") return;
  const isHeavy = outcome === "too-heavy";
  const html = isHeavy ? asTooHeavy(text) : outcome.made;
  const until = isHeavy ? Date.now() + tryAgainAfter : Number.POSITIVE_INFINITY;
  kept.keep(text, { html, until }, text.length + html.length);
}

/** Measured before it is parsed, so that the usual attacks do not even take their two seconds of the thread. */
function isTooIntricate(text: string): boolean {
  let [marks, before] = [0, 0];
  for (const line of text.split("\n")) {
    if (containersOf(line) > mostContainers) return true;
    if (line.trim() === "") before = marks;
    for (const sign of line) if ("*_~[]".includes(sign)) marks += 1;
    if (marks > mostMarks || marks - before > mostMarksOfParagraph) return true;
  }
  return false;
}

/** Quotes and list items that one line opens within each other: `> > - text` opens three. */
function containersOf(line: string): number {
  let found = 0;
  for (const [at, sign] of [...line].entries()) {
    const isItem = "*+-".includes(sign) && line[at + 1] === " ";
    if (sign === ">" || isItem) found += 1;
    else if (sign !== " " && sign !== "\t") return found;
  }
  return found;
}

function asWritten(text: string, why: string): string {
  const escaped = text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<p><em>Shown as plain text ${why}.</em></p><pre class="whitespace-pre-wrap">${escaped}</pre>`;
}
