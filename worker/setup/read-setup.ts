import { createHash } from "node:crypto";
import { personsVariables } from "../base/environment";
import { messageOf } from "../base/problems";
import { sendable } from "../base/sendable";
import { gitEnd } from "../git/git";
import { listIncluded, listShared } from "../git/included";
import type { Origin, Rules } from "../git/rules";
import type { Format, Said } from "./formats";
import { lockfiles, readInstalls } from "./installs";

/** What `doctor --json` prints. */
export interface SetupReport {
  found: { path: string }[];
  taken: { key: string; path: string; command: string }[];
  left_out: { path: string; reason: string }[];
  proposed: { path: string; key: string; value: string }[];
}

export interface FoundSetup {
  report: SetupReport;
  /** The question to the worker's person; null if nothing comes from another tool's file. */
  agreement: { hash: string; text: string } | null;
  /** The rules with all that was found, and with what needs no one's word. */
  rules: Rules;
  withoutAgreement: Rules;
}

/** Settings are smaller. */
const mostBytes = 64 * 1024;

export type Blob = { path: string; mode: string; id: string; size: number };

/** Regular files and links of a commit, by their exact paths. */
export async function blobsAt(folder: string, commit: string, paths: readonly string[]): Promise<Map<string, Blob>> {
  const { output } = await gitEnd(folder, "ls-tree", "--full-tree", "-l", "-z", commit, "--", ...paths);
  const blobs = output.split("\0").flatMap((line) => {
    const [, mode = "", id = "", size = "", path = ""] = /^(\d+) blob (\w+) +(\d+)\t(.+)$/s.exec(line) ?? [];
    return path === "" ? [] : [{ path, mode, id, size: Number(size) }];
  });
  return new Map(blobs.map((blob) => [blob.path, blob]));
}

/** Its text, or why it is not read. */
export async function textOf(folder: string, { mode, size, id }: Blob): Promise<{ text: string } | { reason: string }> {
  if (mode === "120000") return { reason: "it is a link" };
  if (size > mostBytes) return { reason: "it is larger than 64 KiB" };
  return { text: (await gitEnd(folder, "cat-file", "blob", id)).output };
}

const ownFile = ".backloom.yml";

/** A file of another tool: what it says, or why nothing of it counts. */
interface Reading {
  blob: Blob;
  format: Format;
  said: Said;
  /** The files it runs by their path: they count only as the main branch has them. */
  scripts: Blob[];
  /** Patterns of ignored files of the folder that a worktree is made of, which its commands and scripts name. */
  lent: string[];
  reason?: string;
}

/** In main: our rules, other tools' files, lockfiles. An unreadable one is a line. `source` may be copied from. */
export async function readSetup(
  folder: string,
  commit: string,
  rules: Rules,
  source: string | null,
): Promise<FoundSetup> {
  const { formats, fromJson } = await import("./formats");
  const paths = [...formats.map(({ path }) => path), ...lockfiles, "package.json", ".yarnrc.yml"];
  const blobs = await blobsAt(folder, commit, paths);
  const readings: Reading[] = [];
  for (const format of formats) {
    const blob = blobs.get(format.path);
    if (blob !== undefined) readings.push(await readFile(folder, commit, blob, format, blobs));
  }
  const setup = choose("setup", rules.setup, readings, source);
  const cleanup = choose("cleanup", rules.cleanup, readings, source);
  const copying = readings.filter(({ said }) => said.copy?.trim());
  const [include] = copying;
  const report: SetupReport = {
    found: readings.map(({ blob: { path } }) => ({ path })),
    taken: [],
    left_out: [
      ...rules.unknown.map((name) => ({ path: ownFile, reason: `${name} means nothing here` })),
      ...readings.flatMap(reasonsOf),
      ...setup.lost,
      ...cleanup.lost,
      ...copying.slice(1).map(({ blob: { path } }) => ({ path, reason: `copy: ${include?.blob.path} counts instead` })),
    ],
    proposed: readings.flatMap(({ blob: { path }, said: { run, test } }) => [
      ...(run ? [{ path, key: "preview", value: run }] : []),
      ...(test ? [{ path, key: "test", value: test }] : []),
    ]),
  };
  const chosen = { setup: setup.chosen, cleanup: cleanup.chosen };
  if (chosen.setup === null) {
    const packageJson = blobs.get("package.json");
    const read = packageJson && (await textOf(folder, packageJson));
    const json = await Promise.resolve(read && "text" in read ? read.text : "null")
      .then(fromJson)
      .catch((error) => void report.left_out.push({ path: "package.json", reason: messageOf(error) }));
    const { installs, leftOut } = await readInstalls([...blobs.keys()], json, personsVariables());
    report.found.push(...[...installs, ...leftOut].map(({ path }) => ({ path })));
    report.left_out.push(...leftOut);
    if (installs.length > 0) chosen.setup = installing(installs);
  }
  const own = { ...rules, setup: rules.setup === "none" ? undefined : rules.setup };
  const found = withFound(own, chosen, include?.said.copy ?? "");
  report.taken.push(...takenOf(rules, chosen));
  if (include !== undefined) {
    const { path } = include.blob;
    const { files, leftOut } = await listIncluded(source, found.include);
    report.left_out.push(...leftOut.map((one) => ({ path, reason: `copy: ${one}` })));
    if (files.length > 0) report.taken.push({ key: "copy", path, command: files.join(", ") });
  }
  const { leftOut: notShared } = await listShared(source ?? "", rules.share);
  report.left_out.push(...notShared.map((one) => ({ path: ownFile, reason: `share: ${one}` })));
  const asked = [setup.chosen, cleanup.chosen].filter((one) => one !== null && one.origin !== undefined);
  const using = readings.filter((one) => one === include || asked.some((offer) => offer?.path === one.blob.path));
  const text = report.taken.filter(({ path }) => using.some(({ blob }) => blob.path === path)).map(describeTaken);
  const without = {
    setup: asked.includes(chosen.setup) ? null : chosen.setup,
    cleanup: asked.includes(chosen.cleanup) ? null : chosen.cleanup,
  };
  const withoutAgreement = withFound(own, without, "");
  // No one is asked about nothing, such as patterns that no file matches yet.
  if (text.length === 0) return { report, agreement: null, rules: withoutAgreement, withoutAgreement };
  const ids = using.flatMap(({ blob, scripts }) => [blob, ...scripts]).map(({ path, id }) => `${path} ${id}`);
  const hash = createHash("sha256").update(ids.join("\n")).digest("hex");
  return { report, agreement: { hash, text: text.join("\n") }, rules: found, withoutAgreement };
}

async function readFile(
  folder: string,
  commit: string,
  blob: Blob,
  format: Format,
  blobs: ReadonlyMap<string, Blob>,
): Promise<Reading> {
  const nothing = { blob, format, said: {}, scripts: [], lent: [] };
  if (format.replacedBy !== undefined && blobs.has(format.replacedBy)) {
    return { ...nothing, reason: `${format.replacedBy} counts instead` };
  }
  const read = await textOf(folder, blob);
  if ("reason" in read) return { ...nothing, reason: read.reason };
  const atMain = async (path: string) => (await blobsAt(folder, commit, [path])).get(path);
  try {
    const said = await format.read(read.text, async (path) => (await atMain(path))?.mode.startsWith("100") ?? false);
    const commands = [said.setup, said.cleanup].join("\n");
    const paths = [...commands.matchAll(runPath)].flatMap(([, path]) => path ?? []);
    // A folder on the way may be a link, too.
    const ways = paths.flatMap((path) => path.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/")));
    const there = ways.length === 0 ? [] : [...(await blobsAt(folder, commit, ways)).values()];
    const link = there.find(({ mode, path }) => mode === "120000" && ways.includes(path));
    if (link !== undefined) return { ...nothing, reason: `a script of it is behind the link ${link.path}` };
    const scripts = there.filter(({ mode, path }) => mode.startsWith("100") && paths.includes(path));
    const texts = await Promise.all(scripts.map((script) => textOf(folder, script)));
    const all = [commands, ...texts.flatMap((one) => ("text" in one ? one.text : []))].join("\n");
    return { ...nothing, said, scripts, lent: sourceVariable.test(all) ? filesNamedIn(all) : [] };
  } catch (error) {
    return { ...nothing, reason: `it cannot be read: ${sendable(messageOf(error).split("\n")[0] ?? "", 200)}` };
  }
}

function reasonsOf({ blob: { path }, said, reason }: Reading): { path: string; reason: string }[] {
  const { setup, cleanup, copy, run, test, reasons = [] } = said;
  const isEmpty = [setup, cleanup, copy, run, test].every((one) => !one?.trim()) && reasons.length === 0;
  const all = reason === undefined ? [...reasons, ...(isEmpty ? ["it names nothing to do"] : [])] : [reason];
  return all.map((one) => ({ path, reason: one }));
}

interface Chosen {
  path: string;
  command: string;
  /** Missing for what .backloom.yml says. */
  origin?: Origin;
  lent?: string[];
}

/** The first that names a command; what others would run is said. */
function choose(
  key: "setup" | "cleanup",
  own: string | undefined,
  readings: readonly Reading[],
  source: string | null,
) {
  const lost: { path: string; reason: string }[] = [];
  let chosen: Chosen | null = own === undefined ? null : { path: ownFile, command: own };
  for (const { blob, format, said, scripts, lent } of readings) {
    const command = said[key]?.trim();
    if (!command) continue;
    const { path } = blob;
    const problem = problemOf(command, source);
    if (problem !== null) lost.push({ path, reason: `${key}: ${problem}` });
    else if (chosen === null) {
      const environment: Origin["environment"] = (place) => ({ ...said.environment, ...format.variables?.(place) });
      chosen = { path, command: inShell(command), origin: { path, shown: command, scripts, environment }, lent };
    } else {
      const shown = chosen.origin?.shown ?? chosen.command;
      const reason = `${key}: would run \`${short(command)}\`, taken \`${short(shown)}\` of ${chosen.path}`;
      if (command !== shown) lost.push({ path, reason });
    }
  }
  return { chosen, lost };
}

/** Scripts of other tools are written for bash. */
function inShell(command: string): string {
  const script = `'${command.replaceAll("'", "'\\''")}'`;
  return `set -- ${script}; command -v bash >/dev/null && exec bash -c "$1"; exec sh -c "$1"`;
}

const short = (command: string): string => (command.length > 80 ? `${command.slice(0, 80)}…` : command);

function problemOf(command: string, source: string | null): string | null {
  // Quoted, it may be four times as long: Linux takes 128 KiB.
  if (command.length > 30_000 || command.includes("\0")) return "no shell takes it";
  if (/(^|[\s"'=(:])(\/Users\/|\/home\/|[A-Za-z]:[\\/](?!\/))/m.test(command))
    return "it names a folder of another machine";
  if (source === null && sourceVariable.test(command)) {
    return "it reads the folder that a worktree was made of, and this worker cloned by address";
  }
  return null;
}

/** Variables by which commands of other tools name the folder that a worktree was made of. */
const sourceVariable = /\b(?:CODEX_SOURCE_TREE_PATH|(?:CONDUCTOR|SUPERSET|ORCA)_ROOT_PATH|ROOT_WORKTREE_PATH)\b/;

/** A file that a command begins with, or that a shell or Node is given. */
const runPath =
  /(?:^|[;&|(]|\b(?:then|else|do|exec)\s)[ \t]*(?:(?:bash|sh|zsh|source|node|\.)[ \t]+)?(?:\.\/)?((?!\.\.)[\w@.-]+(?:\/(?!\.\.)[\w@.-]+)*)/gm;

const isPart = (part: string): boolean => part !== "" && part !== ".";

/** Scripts join the folder and the names of its files in many ways: all that look like files count. */
function filesNamedIn(text: string): string[] {
  const words = text.replace(/\$\{?\w+(?::?-[^}]*)?\}?"?\/?/g, " ./").split(/[^\w@.*/-]+/);
  const names = words.filter(({ length }) => length < 200);
  const files = names.map((name) =>
    /[./]./.test(name) && !name.endsWith("/") ? name.split("/").filter(isPart).join("/") : "",
  );
  return [...new Set(files)].filter((name) => /[^*/]/.test(name)).map((name) => `/${name}`);
}

function installing(installs: readonly { path: string; command: string }[]): Chosen {
  const path = installs.map((one) => one.path).join(", ");
  const command = installs.map((one) => one.command).join(" && ");
  return { path, command, origin: { path, shown: command, scripts: [], environment: () => ({}) } };
}

function withFound(
  rules: Rules,
  { setup, cleanup }: Record<"setup" | "cleanup", Chosen | null>,
  include: string,
): Rules {
  return {
    ...rules,
    setup: rules.setup ?? (setup?.origin && setup.command),
    cleanup: rules.cleanup ?? (cleanup?.origin && cleanup.command),
    origins: { setup: setup?.origin, cleanup: cleanup?.origin },
    include,
    lent: [setup, cleanup].flatMap((one) => one?.lent ?? []),
  };
}

function takenOf(rules: Rules, chosen: Record<"setup" | "cleanup", Chosen | null>): SetupReport["taken"] {
  const own = (key: string, command: string) => (command === "" ? [] : [{ key, path: ownFile, command }]);
  const { preview } = rules;
  const commands = Object.entries(chosen).flatMap(([key, one]) => (one === null ? [] : [{ key, ...one }]));
  return [
    ...commands.map(({ key, path, command, origin }) => ({ key, path, command: origin?.shown ?? command })),
    ...own("copy", rules.copy.join(", ")),
    ...own("preview", typeof preview === "string" ? preview : (preview?.run ?? "")),
    ...own("ports", rules.ports.map(({ port }) => port).join(", ")),
    ...own("sparse", rules.sparse.join(", ")),
    ...own("share", rules.share.join(", ")),
  ];
}

export function describeTaken({ key, path, command }: SetupReport["taken"][number]): string {
  return `${key} (${path}):\n${command.replace(/^/gm, "    ")}`;
}

/** The first lines of a job: how it is set up and by which file, then what does not count. */
export function firstLines({ report, agreement }: FoundSetup, isTaken: boolean): { title: string; text: string }[] {
  const others = report.taken.filter(({ path }) => path !== ownFile);
  const title = (start: string) => `${start} ${[...new Set(others.map(({ path }) => path))].join(", ")}`;
  const text = others.map(describeTaken).join("\n");
  const taken = isTaken ? title("Set up by") : title("Without");
  const why = "the worker's person has not agreed to it. Start the worker in a terminal, or with --trust-setup";
  const lost = report.left_out.map(({ path, reason }) => `${path}: ${reason}`).join("\n");
  return [
    ...(others.length > 0 ? [{ title: isTaken || agreement === null ? taken : `${taken}: ${why}`, text }] : []),
    ...(lost === "" ? [] : [{ title: "Not taken for the set-up", text: lost }]),
  ];
}
