import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type { DiffFile } from "~/contract/job-diff";
import { type Hunk, type PatchLine, parsePatch } from "~/contract/patch";
import { FormatterThread } from "../formatter-thread.server";
import { nameOf } from "../proof/visible";
import threadSource from "./code-highlighter.server.mjs?raw";
import { languageOf } from "./languages";
import type { ShownHunk, ShownLine } from "./shown-diff";

/** A line is cut there: nobody reads on, and no page shall have to lay it out. */
const longestLine = 2_000;
/** What is longer stays without colours. */
const longestCode = 400_000;
/** Characters of shown files that are kept, so that a diff seen again costs nothing. */
const mostKept = 24_000_000;

const require = createRequire(import.meta.url);
const thread = new FormatterThread(threadSource, [require.resolve("highlight.js/lib/common")]);
const kept = new Map<string, { hunks: ShownHunk[]; size: number }>();
let keptSize = 0;

/** The lines of a file as HTML, coloured where its language is known; the same patch is made once. */
export async function showLines({ path, patch }: DiffFile): Promise<ShownHunk[]> {
  if (patch === undefined) return [];
  const key = createHash("sha256")
    .update(`${languageOf(path)}\n${patch}`)
    .digest("base64");
  const known = kept.get(key);
  if (known) return known.hunks;
  const { hunks } = parsePatch(patch);
  const shown = await colour(hunks, languageOf(path));
  keep(key, shown, patch.length * 2);
  return shown;
}

async function colour(hunks: readonly Hunk[], language: string | null): Promise<ShownHunk[]> {
  const sides = hunks.flatMap(({ lines }) => [
    textOf(lines.filter(({ kind }) => kind !== "added")),
    textOf(lines.filter(({ kind }) => kind !== "deleted")),
  ]);
  const coloured = language === null ? null : await highlight(language, sides);
  return hunks.map(({ heading, lines }, number) => {
    const old = coloured?.[number * 2]?.values();
    const next = coloured?.[number * 2 + 1]?.values();
    return {
      heading: plain(heading),
      lines: lines.map((line): ShownLine => {
        const ofOld = line.kind === "added" ? undefined : old?.next().value;
        const ofNew = line.kind === "deleted" ? undefined : next?.next().value;
        const html = marked(ofNew ?? ofOld ?? escaped(cut(line.text))) + restOf(line);
        return [shortKinds[line.kind], line.old, line.new, html];
      }),
    };
  });
}

const shortKinds = { same: "s", added: "a", deleted: "d" } as const;

/** Lines of HTML for each text; null where that would take too long, or goes wrong. */
async function highlight(language: string, texts: string[]): Promise<string[][] | null> {
  if (texts.reduce((sum, { length }) => sum + length, 0) > longestCode) return null;
  const formatted = await thread.format(JSON.stringify({ language, texts }));
  if (typeof formatted === "string") return null;
  const lines: string[][] = JSON.parse(formatted.html);
  return lines;
}

function textOf(lines: readonly PatchLine[]): string {
  return lines.map(({ text }) => cut(text)).join("\n");
}

function cut(text: string): string {
  return text.slice(0, longestLine).replace(/\p{Surrogate}/gu, "\ufffd");
}

function restOf({ text, isUnended }: PatchLine): string {
  const rest = text.length - longestLine;
  const left = rest > 0 ? mark(`… ${rest} more characters`) : "";
  return isUnended ? `${left}${mark("no line end")}` : left;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** What would change how a line is read without being seen: control characters, and those that turn the direction round. */
function marked(html: string): string {
  return html
    .replace(/\r$/, "")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
      character === "\t" || isHarmless(character) ? character : mark(nameOf(character)),
    );
}

/** Soft hyphens and joiners are parts of words and of pictures. */
function isHarmless(character: string): boolean {
  return character === "\u00ad" || character === "\u200d";
}

function mark(words: string): string {
  return `<b class="mark">${words}</b>`;
}

function plain(text: string): string {
  return cut(text).replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
}

function keep(key: string, hunks: ShownHunk[], size: number): void {
  kept.set(key, { hunks, size });
  keptSize += size;
  for (const [oldest, entry] of kept) {
    if (keptSize <= mostKept) return;
    kept.delete(oldest);
    keptSize -= entry.size;
  }
}
