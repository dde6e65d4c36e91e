import { createRequire } from "node:module";
import { FormatterThread } from "./formatter-thread.server";
import threadSource from "./markdown-formatter.server.mjs?raw";
import type { SafeHtml } from "./prose";

/** What no person writes: marks in one paragraph, containers in one line. The work grows with their square or their stack. */
const mostMarks = 2_000;
const mostContainers = 40;
/** Characters of texts and their HTML that are kept, so that a page seen again costs nothing. */
const mostKept = 8_000_000;

/** A text that took too long is tried again after this time: perhaps it was the machine. */
const tryAgainAfter = 600_000;

interface Kept {
  html: string;
  until: number;
}

const require = createRequire(import.meta.url);
const markdownThread = new FormatterThread(threadSource, [
  require.resolve("react"),
  require.resolve("react-dom/server"),
  require.resolve("react-markdown"),
  require.resolve("remark-gfm"),
  require.resolve("rehype-sanitize"),
]);
const kept = new Map<string, Kept>();
let keptCharacters = 0;

/**
 * A text in Markdown as sanitised HTML, made on the server so that no page carries a parser, and in a thread of its own so
 * that no text holds up a request of somebody else. What is too intricate is shown as it was written.
 */
export async function renderMarkdown(text: string | null | undefined): Promise<SafeHtml | null> {
  if (!text?.trim()) return null;
  const known = kept.get(text);
  if (known && known.until > Date.now()) return { html: known.html };
  const formatted = isTooIntricate(text) ? "too-heavy" : await markdownThread.format(text);
  if (formatted === "too-busy") return { html: asWritten(text) };
  const until = formatted === "too-heavy" ? Date.now() + tryAgainAfter : Number.POSITIVE_INFINITY;
  const html = formatted === "too-heavy" ? asWritten(text) : formatted.html;
  keep(text, { html, until });
  return { html };
}

function keep(text: string, entry: Kept): void {
  forget(text);
  kept.set(text, entry);
  keptCharacters += text.length + entry.html.length;
  for (const oldest of kept.keys()) {
    if (keptCharacters <= mostKept) return;
    forget(oldest);
  }
}

function forget(text: string): void {
  const entry = kept.get(text);
  if (!entry) return;
  kept.delete(text);
  keptCharacters -= text.length + entry.html.length;
}

/** Measured before it is parsed, so that the usual attacks do not even take their two seconds of the thread. */
function isTooIntricate(text: string): boolean {
  let marks = 0;
  for (const line of text.split("\n")) {
    if (containersOf(line) > mostContainers) return true;
    if (line.trim() === "") marks = 0;
    for (const sign of line) if ("*_~[]".includes(sign)) marks += 1;
    if (marks > mostMarks) return true;
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

function asWritten(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<p><em>Shown as it was written, because formatting it would take too long.</em></p><pre class="whitespace-pre-wrap">${escaped}</pre>`;
}
