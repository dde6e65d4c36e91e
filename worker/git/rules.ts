import { cp, lstat, stat } from "node:fs/promises";
import { basename, dirname, join, normalize, sep } from "node:path";
import { z } from "zod";
import { reviewMarksSchema } from "~/wire/reviews/marks";
import { knownAgents } from "~/wire/workers/known-agents";
import { forgeSettingSchema } from "../base/forge-kinds";
import { readAllowedHosts } from "../base/hosts";
import { allowances } from "../base/options";
import { copiedInto, noteCopied } from "./copied";
import { git } from "./git";
import type { Worktree } from "./worktree";

const file = ".backloom.yml";

const rulesSchema = z.strictObject({
  /** Commands that set up a fresh worktree. */
  setup: z
    .union([z.string(), z.array(z.string())])
    .transform((commands) => (typeof commands === "string" ? commands : commands.join(" &&\n")))
    .optional(),
  test: z.string().min(1).optional(),
  pr: z.string().min(1).optional(),
  /** Git host of the remote, if its name does not tell. */
  forge: forgeSettingSchema.optional(),
  /** Labels and reviewers of new pull requests. */
  labels: z.array(z.string().min(1)).default([]),
  reviewers: z.array(z.string().min(1)).default([]),
  /** Paths that reviews mark, besides those of the product. */
  review_marks: reviewMarksSchema.default({}),
  /** Ignored files the work needs, copied from the user's own checkout. */
  copy: z.array(z.string().min(1)).default([]),
  /** For workers with `--agent auto`. A repository cannot choose a command. */
  agent: z.enum(Object.keys(knownAgents)).optional(),
  allow: z.enum(allowances).optional(),
  env: z
    .record(
      z.string().regex(/^(?!BACKLOOM_)[A-Za-z_]\w*$/),
      z.union([z.string(), z.number(), z.boolean()]).transform(String),
    )
    .default({}),
  /** Hosts the work needs. The worker's user decides. */
  net: z.array(z.string().refine(isHost, "is not a host or host:port")).default([]),
  /** Paths of the machine, as in `--mount`. Mounted only if the user allows it. */
  needs: z.array(z.string().refine(isPlainPath, "is not a plain absolute path")).default([]),
});

/** What a person is asked about must be what it looks like. */
function isPlainPath(text: string): boolean {
  const isLong = text.length > 200;
  return !isLong && /^(\/|~\/)./.test(text) && !/(^|\/)\.\.(\/|:|$)|\p{C}/u.test(text);
}

function isHost(text: string): boolean {
  return readAllowedHosts(text, "person") !== null;
}

/** Rules of the repository (`.backloom.yml`). */
export type Rules = z.output<typeof rulesSchema>;

export const noRules = rulesSchema.parse({});

/** Reads the rules from the main branch: an agent's commits must not decide what is run or tested. */
export async function readRules(worktree: Worktree): Promise<Rules> {
  const { folder, main, start } = worktree;
  return readRulesOf(folder, start === main ? main : await meetingOf(worktree));
}

/** Like `readRules`, for a commit of the main branch, without a worktree. */
export async function readRulesOf(folder: string, base: string): Promise<Rules> {
  const text = await git(folder, "show", `${base}:${file}`).catch(() => null);
  if (text === null) return noRules;
  const parsed = rulesSchema.safeParse(await parseYaml(text));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} is not as documented: ${z.prettifyError(parsed.error)}`);
}

/** The newest main branch commit that the work contains. */
function meetingOf({ folder, main, start }: Worktree): Promise<string> {
  return git(folder, "merge-base", start, main).catch(() => main);
}

/** Loads the YAML parser only if needed. */
async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text) ?? {};
  } catch (error) {
    throw new Error(`${file} is no YAML: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Copies ignored files into the worktree. Skips missing ones and those that lead out of the checkout. Returns values in
 * them that no output may show.
 */
export async function copyAlong(
  { folder, repository }: Pick<Worktree, "folder" | "repository">,
  rules: Rules,
): Promise<readonly string[]> {
  const copied: string[] = [];
  for (const name of rules.copy) {
    const path = normalize(name);
    if (path.startsWith("..") || path.startsWith(sep) || path.split(sep).some(isGit)) continue;
    if (await leadsElsewhere(repository.folder, path)) continue;
    // The branch is the agent's: a link in it could redirect the copy.
    if (await leadsElsewhere(folder, path)) continue;
    const source = join(repository.folder, path);
    if ((await stat(source).catch(() => null)) === null) continue;
    const filter = (from: string) => !isGit(basename(from));
    await cp(source, join(folder, path), { recursive: true, force: false, filter });
    copied.push(path);
  }
  await noteCopied(folder, copied);
  return (await copiedInto(folder))?.values ?? [];
}

/** The names that git itself refuses in a tree: any case, and as Windows reads them (`core.protectNTFS`). */
function isGit(part: string): boolean {
  return /^(\.git|git~1)[. ]*(:|$)/i.test(part);
}

/** True if a folder on the path is a link. */
async function leadsElsewhere(home: string, path: string): Promise<boolean> {
  let folder = home;
  for (const part of dirname(path).split(sep)) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(() => null);
    if (found?.isSymbolicLink()) return true;
  }
  return false;
}
