import { spawn } from "node:child_process";
import { type DiffFile, diffLimits, mostPatchBytes } from "~/wire/agent-jobs/job-diff";
import { isPictureName } from "~/wire/files/file-type";
import { isFoldedFile } from "~/wire/reviews/folded-files";
import { interruption } from "../base/interruption";
import { sendable } from "../base/sendable";
import { gitStart } from "./checkout";
import { git, gitEnvironment } from "./git";

/** Limit for git's output; more could not be sent anyway. */
const mostOutputBytes = 16 * 1024 * 1024;
const mostListBytes = 8 * 1024 * 1024;

/** Fixes the diff's format, no matter what the user's or the repository's config says. */
const plain =
  `-c core.quotePath=false -c diff.suppressBlankEmpty=false diff --no-color --no-ext-diff --no-textconv --no-relative
  -O/dev/null --src-prefix=a/ --dst-prefix=b/ --submodule=short --full-index --find-renames`.split(/\s+/);
const asPatch = ["--patch", "--binary", "--unified=3", "--inter-hunk-context=0"];

const statusOf: Record<string, DiffFile["status"]> = {
  A: "added",
  C: "copied",
  D: "deleted",
  R: "renamed",
  T: "type_changed",
};

/** The changes between two commits, within the service's limits. Cut files are marked. */
export async function readDiff(folder: string, base: string, head: string): Promise<DiffFile[]> {
  const range = [base, head, "--"];
  const [raw, counts, patches] = await Promise.all([
    output(folder, [...plain, "--raw", "-z", ...range], mostListBytes),
    output(folder, [...plain, "--numstat", "-z", ...range], mostListBytes),
    output(folder, [...plain, ...asPatch, ...range], mostOutputBytes),
  ]);
  const files = readRaw(raw.bytes.toString("utf8"));
  const lines = readCounts(counts.bytes.toString("utf8"));
  // No line of a hunk or of binary data begins like a header.
  const sections = patches.bytes.toString("latin1").split(/(?<=\n)(?=diff --git )/);
  const paths = files.map(({ path }) => path);
  const generated = await generatedFiles(folder, paths);
  const listed = files.slice(0, diffLimits.files).map((file, index): { section: Section; file: DiffFile } => {
    const isFolded = isFoldedFile(file.path) || generated.has(file.path);
    const text = sections.splice(0, file.status === "type_changed" ? 2 : 1).join("");
    const section = { text, isCut: patches.isCut && sections.length === 0 };
    return { section, file: { ...file, ...(lines[index] ?? noLines), ...(isFolded ? { folded: true } : {}) } };
  });
  let left: number = diffLimits.bytes;
  // Lines first: pictures and the like get the room that they leave.
  for (const isBinary of [false, true]) {
    for (const { section, file } of listed.filter((each) => each.file.binary === isBinary)) {
      const room = Math.min(left, mostPatchBytes(file));
      const text = await withWholePicture(folder, [base, head], file, section.text, room);
      left -= Buffer.byteLength(Object.assign(file, patchOf(file, { ...section, text }, room)).patch ?? "");
    }
  }
  return listed.map(({ file }) => file);
}

/** Git writes the difference from the other side where that is shorter, and a picture is seen only whole. */
async function withWholePicture(folder: string, shas: string[], file: Named, text: string, room: number) {
  const [header = "", contents = ""] = text.split(/(?<=\nGIT binary patch\n)/);
  if (!isPictureName(file.path) || text.length > room || !/^delta /m.test(contents)) return text;
  const none = await git(folder, "hash-object", "-t", "tree", "/dev/null");
  const side = async (sha = "", path = file.path) => {
    const range = [none, sha, "--", `:(literal)${path}`];
    const { bytes } = await output(folder, [...plain, ...asPatch, ...range], mostOutputBytes);
    return /^literal \d+\n(?:\S+\n)+\n/m.exec(bytes.toString("latin1"))?.[0] ?? "";
  };
  const sides = [await side(shas[1]), await side(shas[0], file.old_path)];
  const whole = [header, ...sides].join("");
  return sides.includes("") || whole.length > room ? text : whole;
}

type Named = Pick<DiffFile, "path" | "old_path" | "status">;
const noLines = { additions: 0, deletions: 0, binary: false };

/** Format: `:mode mode hash hash status NUL path NUL [path NUL]`. */
function readRaw(text: string): Named[] {
  const files: Named[] = [];
  const parts = text.split("\0");
  for (let index = 0; index + 1 < parts.length; ) {
    const [oldMode = "", newMode = "", , , letter = "M"] = (parts[index] ?? "").slice(1).split(" ");
    const isMoved = /^[RC]/.test(letter);
    const first = pathOf(parts[index + 1]);
    const path = isMoved ? pathOf(parts[index + 2]) : first;
    const isSubmodule = oldMode === "160000" || newMode === "160000";
    const status = isSubmodule ? "submodule" : (statusOf[letter.charAt(0)] ?? "modified");
    files.push({ path, ...(isMoved ? { old_path: first } : {}), status });
    index += isMoved ? 3 : 2;
  }
  return files;
}

/** Format: `added TAB deleted TAB path NUL`, for renames `added TAB deleted TAB NUL path NUL path NUL`. */
function readCounts(text: string) {
  const counts: (typeof noLines)[] = [];
  const parts = text.split("\0");
  for (let index = 0; index < parts.length; index += 1) {
    const match = /^(\d+|-)\t(\d+|-)\t/.exec(parts[index] ?? "");
    if (match === null) continue;
    const [all, added, deleted] = match;
    const binary = added === "-";
    counts.push({ additions: Number(added) || 0, deletions: Number(deleted) || 0, binary });
    if (parts[index] === all) index += 2;
  }
  return counts;
}

function pathOf(name: string | undefined): string {
  return sendable(name ?? "", 4_096);
}

interface Section {
  /** A character for each byte. */
  text: string;
  /** Output was cut within it or before it. */
  isCut: boolean;
}

function patchOf({ status }: Named, section: Section, room: number): Pick<DiffFile, "patch" | "truncated"> {
  if (status === "submodule") return {};
  const bytes = Buffer.from(section.text, "latin1");
  const text = bytes.toString("utf8").replaceAll("\0", "\ufffd");
  const isWhole = !section.isCut && Buffer.from(text).equals(bytes);
  if (isWhole && bytes.length <= room) return { patch: text };
  if (text.includes("\nGIT binary patch\n")) return { truncated: true };
  const cut = wholeLines(text, room);
  return cut === "" ? { truncated: true } : { patch: cut, truncated: true };
}

function wholeLines(text: string, room: number): string {
  if (Buffer.byteLength(text) <= room) return text;
  const beginning = Buffer.from(text).subarray(0, Math.max(0, room)).toString("utf8");
  return beginning.slice(0, beginning.lastIndexOf("\n") + 1);
}

/** Files the repository marks as generated. */
export async function generatedFiles(folder: string, paths: readonly string[]): Promise<Set<string>> {
  const asked = [...new Set(paths)].slice(0, 20_000);
  const generated = new Set<string>();
  // In parts: a command line has an end.
  for (let start = 0; start < asked.length; start += 500) {
    const args = ["check-attr", "-z", "linguist-generated", "--", ...asked.slice(start, start + 500)];
    const parts = (await git(folder, ...args).catch(() => "")).split("\0");
    for (let index = 0; index + 2 < parts.length; index += 3) {
      if (/^(?:set|true)$/.test(parts[index + 2] ?? "")) generated.add(parts[index] ?? "");
    }
  }
  return generated;
}

interface Output {
  bytes: Buffer;
  isCut: boolean;
}

function output(folder: string, args: readonly string[], limit: number): Promise<Output> {
  return new Promise((resolve, reject) => {
    const start = gitStart(folder, args);
    const child = spawn("git", start.args, {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      signal: interruption(),
      env: { ...gitEnvironment(), ...start.environment },
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let complaints = "";
    child.stderr.on("data", (chunk: Buffer) => {
      complaints = `${complaints}${chunk.toString("utf8")}`.slice(-2_000);
    });
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else child.kill();
    });
    child.once("error", reject);
    child.once("close", (code) => {
      const isCut = size > limit;
      if (code === 0 || isCut) resolve({ bytes: Buffer.concat(chunks), isCut });
      else reject(new Error(`git diff failed: ${complaints.trim()}`));
    });
  });
}
