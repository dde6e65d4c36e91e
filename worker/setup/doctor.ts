import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { bytesOf, formatBytes, freeBytes } from "../base/disk";
import { readDoctorOptions } from "../base/options";
import { print } from "../base/terminal";
import { gitEnd } from "../git/git";
import { sourceOf } from "../git/included";
import { openLocal } from "../git/repository";
import { readRulesOf } from "../git/rules";
import { mainOf } from "../git/worktree";
import { readProposals } from "./proposals";
import { describeTaken, readSetup, type SetupReport } from "./read-setup";

/** Prints what sets a worktree of a repository up, what was left out and why, and what a job costs on disk. */
export async function doctor(args: readonly string[]): Promise<void> {
  const { repo, json, workDir } = readDoctorOptions(args);
  const { folder, commit, report, sparse } = await examine(repo);
  if (json) return print(`${JSON.stringify(report, null, 2)}\n`);
  const { found, taken, left_out, proposed } = report;
  const sections = [
    [`${folder} at ${commit.slice(0, 8)} of its main branch`],
    titled("Found", [found.map(({ path }) => path).join(", ") || "no file that sets a worktree up"]),
    titled("Taken", taken.map(describeTaken)),
    titled(
      "Left out",
      left_out.map(({ path, reason }) => `${path}: ${reason}`),
    ),
    titled(
      "For .backloom.yml, if you want it",
      proposed.map(({ path, key, value }) => `${key}: ${value}   # ${path}`),
    ),
    titled("Disk", await describeDisk(folder, commit, sparse, workDir)),
  ];
  print(`${sections.flat().join("\n")}\n`);
}

async function examine(repo: string) {
  const repository = await openLocal(repo);
  const { folder } = repository;
  const commit = await mainOf(repository);
  const rules = await readRulesOf(folder, commit);
  const { report } = await readSetup(folder, commit, rules, await sourceOf(folder));
  const more = await readProposals(folder, commit);
  const taken = new Set(report.taken.map(({ key }) => key));
  const proposed = [...report.proposed, ...more.proposed].filter(({ key }) => key === "net" || !taken.has(key));
  const whole: SetupReport = { ...report, left_out: [...report.left_out, ...more.left_out], proposed };
  return { folder, commit, report: whole, sparse: rules.sparse };
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => line.replace(/^/gm, "  "))];
}

async function describeDisk(folder: string, commit: string, sparse: readonly string[], workDir: string) {
  const whole = await bytesAt(folder, commit, () => true);
  const isIn = (path: string) =>
    !path.includes("/") || sparse.some((one) => path === one || path.startsWith(`${one}/`));
  const each = sparse.length === 0 ? whole : await bytesAt(folder, commit, isIn);
  const free = await freeBytes(await nearest(workDir));
  const workers = join(workDir, "workers");
  const worktrees = (await readdir(workers).catch(() => [])).map((name) => join(workers, name, "worktrees"));
  const used = (await Promise.all(worktrees.map((one) => bytesOf(one).catch(() => 0)))).reduce(
    (sum, one) => sum + one,
    0,
  );
  const isElsewhere = (await stat(folder)).dev !== (await stat(await nearest(workDir))).dev;
  return [
    `a worktree has ${formatBytes(each)}${each === whole ? "" : ` of ${formatBytes(whole)}`} of files, and what its set-up installs`,
    `worktrees in ${workDir} use ${formatBytes(used)}, ${formatBytes(free)} are free`,
    ...(isElsewhere
      ? ["they are on another disk than the repository: a --work-dir on the same one lets share: copy without room"]
      : []),
  ];
}

async function bytesAt(folder: string, commit: string, isIn: (path: string) => boolean): Promise<number> {
  const { output } = await gitEnd(folder, "ls-tree", "--full-tree", "-r", "-l", "-z", commit);
  const sizes = output.split("\0").map((line) => {
    const [, size = "0", path = ""] = /^\d+ blob \w+ +(\d+)\t(.+)$/s.exec(line) ?? [];
    return path !== "" && isIn(path) ? Number(size) : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The folder, or what is there of it. */
async function nearest(folder: string): Promise<string> {
  const isThere = (await stat(folder).catch(() => null)) !== null;
  return isThere ? folder : nearest(join(folder, ".."));
}
