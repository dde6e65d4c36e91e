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
/** Longer code is not highlighted. */
const longestCode = 400_000;
/** Characters of shown files to cache, so that reopening a diff costs nothing. Each line counts as 100 more. */
const mostKept = 24_000_000;

const kept = new RecentlyMade<ShownHunk[]>(mostKept);

/** Returns a file's lines as HTML, highlighted if the language is known. Cached by patch. */
export async function showLines({ path, patch }: DiffFile, viewer: string): Promise<ShownHunk[]> {
  if (patch === undefined) return [];
  const language = languageOf(path);
  const key = createHash("sha256").update(`${language}\n${patch}`).digest("base64");
  const known = kept.get(key);
  if (known) return known;
  const { hunks } = parsePatch(patch);
  const sides = hunks.flatMap(({ lines }) => [
    textOf(lines.filter(({ kind }) => kind !== "added")),
    textOf(lines.filter(({ kind }) => kind !== "deleted")),
  ]);
  const colored = language === null ? null : await highlight(language, sides, viewer);
  const shown = shownHunks(hunks, colored === "too-busy" ? null : colored);
  if (colored !== "too-busy") kept.keep(key, shown, sizeOf(shown));
  return shown;
}

/** Estimates memory: markup multiplies the characters, and even an empty line takes space. */
function sizeOf(hunks: readonly ShownHunk[]): number {
  const lines = hunks.flatMap(({ lines }) => lines);
  return lines.reduce((size, [, , , html]) => size + html.length + 100, 100 * hunks.length);
}

function shownHunks(hunks: readonly Hunk[], colored: string[][] | null): ShownHunk[] {
  return hunks.map(({ heading, lines }, number) => {
    const old = colored?.[number * 2]?.values();
    const next = colored?.[number * 2 + 1]?.values();
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

/** Returns the highlighted lines of each text; null if that fails or takes too long. */
async function highlight(language: string, texts: string[], viewer: string): Promise<string[][] | "too-busy" | null> {
  if (texts.reduce((sum, { length }) => sum + length, 0) > longestCode) return null;
  const outcome = await askThread({ color: { language, texts } }, viewer);
  if (typeof outcome === "string") return outcome === "too-busy" ? outcome : null;
  const lines: string[][] = JSON.parse(outcome.made);
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

/** File extensions and the language highlight.js (common set) uses for them. */
const languages: Record<string, string> = {
  ...named("bash", "sh bash zsh"),
  ...named("c", "c h"),
  ...named("cpp", "cc cpp cxx hpp hh"),
  ...named("csharp", "cs"),
  ...named("css", "css"),
  ...named("diff", "diff patch"),
  ...named("go", "go"),
  ...named("graphql", "graphql gql"),
  ...named("ini", "ini toml cfg conf"),
  ...named("java", "java"),
  ...named("javascript", "js mjs cjs jsx"),
  ...named("json", "json jsonc"),
  ...named("kotlin", "kt kts"),
  ...named("less", "less"),
  ...named("lua", "lua"),
  ...named("makefile", "mk makefile"),
  ...named("markdown", "md markdown"),
  ...named("objectivec", "m mm"),
  ...named("perl", "pl pm"),
  ...named("php", "php"),
  ...named("python", "py pyi"),
  ...named("r", "r"),
  ...named("ruby", "rb gemfile rakefile"),
  ...named("rust", "rs"),
  ...named("scss", "scss"),
  ...named("sql", "sql"),
  ...named("swift", "swift"),
  ...named("typescript", "ts tsx mts cts"),
  ...named("vbnet", "vb"),
  ...named("xml", "xml html htm svg vue"),
  ...named("yaml", "yml yaml"),
};

/** Returns the language for a file name; null means plain text. */
function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return languages[name.slice(name.lastIndexOf(".") + 1)] ?? null;
}

function named(language: string, endings: string): Record<string, string> {
  return Object.fromEntries(endings.split(" ").map((ending) => [ending, language]));
}
