import { type Outcome, WorkThread, within } from "~/threads/work-thread.server";
import source from "./markdown-thread?thread";
import type { SafeHtml } from "./prose";
import { RecentlyMade } from "./recently-made.server";

/** Limits no person reaches: marks, nested containers per line. Parsing cost grows with their square or stack depth. */
const mostMarks = 8_000;
const mostMarksOfParagraph = 2_000;
const mostContainers = 40;
const mostLines = 5_000;
/** A table has its columns in each row, written or not. */
const mostColumns = 100;
/** Characters of texts and HTML to cache, so that reopening a page costs nothing. */
const mostKept = 8_000_000;

/** Milliseconds a page waits before it shows the raw text; longer until the thread has started. */
const longestWait = 500;
const longestStart = 6_000;

/** Retries a text that took too long after this time (ms): the machine may have been slow. */
const tryAgainAfter = 600_000;

type Kept = { html: string; until: number };

const markdownThread = new WorkThread(source, { longest: 1_000, memoryMb: 256 });
const kept = new RecentlyMade<Kept>(mostKept);
/** Formatting in progress, by viewer and text. */
const begun = new Map<string, Promise<Outcome>>();

/**
 * Sanitized HTML: on the server, so that pages load no parser; in a thread, so that no text delays others. Texts that
 * are too complex, or not ready in time, are shown raw. `viewer` is the user whose turn is used.
 */
export async function renderMarkdown(text: string | null | undefined, viewer: string): Promise<SafeHtml | null> {
  if (!text?.trim()) return null;
  const known = kept.get(text);
  if (known && known.until > Date.now()) return { html: known.html };
  const patience = markdownThread.hasBegun ? longestWait : longestStart;
  const outcome = await within(patience, formatOnce(text, viewer));
  if (outcome === "too-busy") return { html: asWritten(text, "until it is formatted"), unfinished: true };
  return { html: outcome === "too-heavy" ? asTooHeavy(text) : outcome.made };
}

const asTooHeavy = (text: string): string => asWritten(text, "because formatting it would take too long");

/** Repeated requests by the same viewer share one turn. */
function formatOnce(text: string, viewer: string): Promise<Outcome> {
  const key = `${viewer}\n${text}`;
  const earlier = begun.get(key);
  if (earlier) return earlier;
  const formatted = isTooIntricate(text) ? Promise.resolve("too-heavy" as const) : markdownThread.run(text, viewer);
  begun.set(key, formatted);
  void formatted.then((outcome) => {
    begun.delete(key);
    keep(text, outcome);
  });
  return formatted;
}

function keep(text: string, outcome: Outcome): void {
  if (outcome === "too-busy") return;
  const isHeavy = outcome === "too-heavy";
  const html = isHeavy ? asTooHeavy(text) : outcome.made;
  const until = isHeavy ? Date.now() + tryAgainAfter : Number.POSITIVE_INFINITY;
  kept.keep(text, { html, until }, text.length + html.length);
}

/** Checked before parsing, so that common attacks do not use up even their second of the thread. */
function isTooIntricate(text: string): boolean {
  let [marks, before] = [0, 0];
  const lines = text.split("\n");
  if (lines.length > mostLines) return true;
  for (const line of lines) {
    if (containersOf(line) > mostContainers || line.split("|").length > mostColumns) return true;
    if (line.trim() === "") before = marks;
    for (const sign of line) if ("*_~[]`".includes(sign)) marks += 1;
    if (marks > mostMarks || marks - before > mostMarksOfParagraph) return true;
  }
  return false;
}

/** Counts quotes and list items nested in one line: `> > - text` has three. */
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
