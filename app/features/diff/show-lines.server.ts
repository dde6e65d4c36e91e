import { createHash } from "node:crypto";
import { RecentlyMade } from "~/features/markdown/recently-made.server";
import { nameOf } from "~/features/proof/visible";
import { type Outcome, WorkThread, within } from "~/threads/work-thread.server";
import type { DiffFile } from "~/wire/agent-jobs/job-diff";
import { type Hunk, type PatchLine, parsePatch } from "~/wire/agent-jobs/patch";
import { ContractError } from "~/wire/errors";
import type { DiffQuestion } from "./diff-thread";
import source from "./diff-thread?thread";
import type { ShownHunk, ShownLine } from "./shown-diff";

/** A page waits at most this long for highlighting and comparisons, in milliseconds. */
const longestWait = 6_000;

const thread = new WorkThread(source, { longest: 3_000, memoryMb: 256 });

/** Asks the one thread for diffs. The answer is JSON. */
export function askThread(question: DiffQuestion, viewer: string): Promise<Outcome> {
  return within(longestWait, thread.run(question, viewer));
}

/** What the thread makes of it, for an answer that is passed on as it is. */
export async function madeInThread(question: DiffQuestion, viewer: string): Promise<string> {
  const outcome = await askThread(question, viewer);
  if (typeof outcome !== "string") return outcome.made;
  throw new ContractError(503, "Other changes are being read. Try again in a minute.");
}

/** Longer lines are cut: no one reads on, and laying them out is expensive. */
const longestLine = 2_000;
/** Characters of shown files to cache, so that reopening a diff costs nothing. Each line counts as 100 more. */
const mostKept = 24_000_000;

const kept = new RecentlyMade<ShownHunk[]>(mostKept);

/** The lines of files as HTML, with changed words, colored if the language is known; each alone, as one may be slow. */
export function showLines(files: readonly DiffFile[], viewer: string): Promise<ShownHunk[][]> {
  const showOne = async ({ path, patch = "" }: DiffFile) => {
    const key = createHash("sha256").update(`${path}\n${patch}`).digest("base64");
    const known = kept.get(key);
    if (known) return known;
    const { hunks } = parsePatch(patch);
    const drawn = await draw(path, hunks, viewer);
    const shown = shownHunks(hunks, drawn.lines);
    if (drawn.isFinal) kept.keep(key, shown, sizeOf(shown));
    return shown;
  };
  return Promise.all(files.map(showOne));
}

/** Estimates memory: markup multiplies the characters, and even an empty line takes space. */
function sizeOf(hunks: readonly ShownHunk[]): number {
  const lines = hunks.flatMap(({ lines }) => lines);
  return lines.reduce((size, [, , , html]) => size + html.length + 100, 100 * hunks.length);
}

function shownHunks(hunks: readonly Hunk[], drawn: string[][] | undefined): ShownHunk[] {
  return hunks.map(({ heading, lines }, hunk) => ({
    heading: plain(heading),
    lines: lines.map((line, place): ShownLine => {
      const html = marked(drawn?.[hunk]?.[place] ?? escaped(cut(line.text))) + restOf(line);
      return [shortKinds[line.kind], line.old, line.new, html];
    }),
  }));
}

const shortKinds = { same: "s", added: "a", deleted: "d" } as const;

/** Without lines if that fails, takes too long or has to wait too long; only the last may do better next time. */
async function draw(path: string, hunks: readonly Hunk[], viewer: string) {
  if (hunks.length === 0) return { isFinal: true };
  const question = { path, hunks: hunks.map(({ lines }) => lines.map((line) => ({ ...line, text: cut(line.text) }))) };
  const outcome = await askThread({ draw: question }, viewer);
  if (typeof outcome === "string") return { isFinal: outcome !== "too-busy" };
  const lines: string[][] = JSON.parse(outcome.made);
  return { isFinal: true, lines };
}

function cut(text: string): string {
  return text.slice(0, longestLine).replace(/\p{Surrogate}/gu, "\ufffd");
}

function restOf({ text, isUnended }: PatchLine): string {
  const rest = text.length - longestLine;
  const left = rest > 0 ? mark(`… ${rest} more characters`) : "";
  return isUnended ? `${left}${mark("no newline")}` : left;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Makes invisible characters visible that change how a line reads: control and bidirectional characters. */
function marked(html: string): string {
  return html
    .replace(/\r$/, "")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
      character === "\t" || isHarmless(character) ? character : mark(nameOf(character)),
    );
}

/** Soft hyphens and joiners are parts of words and emoji. */
function isHarmless(character: string): boolean {
  return character === "\u00ad" || character === "\u200d";
}

function mark(text: string): string {
  return `<b class="mark">${text}</b>`;
}

function plain(text: string): string {
  return cut(text).replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
}
