import { cp, lstat, stat } from "node:fs/promises";
import { dirname, join, normalize, sep } from "node:path";
import { z } from "zod";
import { drivers } from "../agents/catalog";
import { allowances } from "../agents/driver";
import { forgeWishSchema } from "../forge/place";
import { readReach } from "../sandbox/network/reach";
import { git } from "./git";
import type { Worktree } from "./worktree";

const file = ".backloom.yml";

const rulesSchema = z.strictObject({
  /** Commands for a fresh worktree, before the work begins. */
  setup: z
    .union([z.string(), z.array(z.string())])
    .transform((commands) => (typeof commands === "string" ? commands : commands.join(" &&\n")))
    .optional(),
  test: z.string().min(1).optional(),
  pr: z.string().min(1).optional(),
  /** Which code host the remote lies on, where its name does not say it. */
  forge: forgeWishSchema.optional(),
  /** What pull requests are opened with. */
  labels: z.array(z.string().min(1)).default([]),
  reviewers: z.array(z.string().min(1)).default([]),
  /** Files that git ignores and that the work needs, from the person's own checkout. */
  copy: z.array(z.string().min(1)).default([]),
  /** For workers that were told to take any. A command of the repository's own choice is not among them. */
  agent: z.enum(drivers.map(({ name }) => name)).optional(),
  allow: z.enum(allowances).optional(),
  env: z
    .record(
      z.string().regex(/^(?!BACKLOOM_)[A-Za-z_]\w*$/),
      z.union([z.string(), z.number(), z.boolean()]).transform(String),
    )
    .default({}),
  /** Hosts that the work reaches. Whose machine it is says whether it may. */
  net: z.array(z.string().refine(isHost, "is no host or host:port")).default([]),
  /** Files, folders and sockets of the machine, as `--mount` names them. A person mounts them, or nobody. */
  needs: z.array(z.string().regex(/^(\/|~\/)./, "is no absolute path")).default([]),
});

function isHost(text: string): boolean {
  return readReach(text, "person") !== null;
}

/** What the repository itself says about work in it. */
export type Rules = z.output<typeof rulesSchema>;

export const noRules = rulesSchema.parse({});

/**
 * The rules of the repository, as its main branch has them: what an agent committed on the way never decides what is run
 * or what its work is tested with.
 */
export async function readRules(worktree: Worktree): Promise<Rules> {
  const { folder, main, start } = worktree;
  return readRulesOf(folder, start === main ? main : await meetingOf(worktree));
}

/** The same of a commit of the main branch, without a worktree. */
export async function readRulesOf(folder: string, base: string): Promise<Rules> {
  const text = await git(folder, "show", `${base}:${file}`).catch(() => null);
  if (text === null) return noRules;
  const parsed = rulesSchema.safeParse(await parseYaml(text));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} is not as documented: ${z.prettifyError(parsed.error)}`);
}

/** The newest commit of the main branch that the work has in it. */
function meetingOf({ folder, main, start }: Worktree): Promise<string> {
  return git(folder, "merge-base", start, main).catch(() => main);
}

/** The language is loaded by those whose repository has such a file. */
async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text) ?? {};
  } catch (error) {
    throw new Error(`${file} is no YAML: ${error instanceof Error ? error.message : error}`);
  }
}

/** Brings along what git does not have; what leads out of the checkout, or is not there, stays away. */
export async function copyAlong(
  { folder, repository }: Pick<Worktree, "folder" | "repository">,
  rules: Rules,
): Promise<void> {
  for (const name of rules.copy) {
    const path = normalize(name);
    if (path.startsWith("..") || path.startsWith(sep) || path.split(sep)[0] === ".git") continue;
    if (await leadsElsewhere(repository.folder, path)) continue;
    // The branch is an agent's: a link in it would have the copy written anywhere.
    if (await leadsElsewhere(folder, path)) continue;
    const source = join(repository.folder, path);
    if ((await stat(source).catch(() => null)) === null) continue;
    await cp(source, join(folder, path), { recursive: true, force: false });
  }
}

/** Whether a folder on the way is a link. */
async function leadsElsewhere(home: string, path: string): Promise<boolean> {
  let place = home;
  for (const part of dirname(path).split(sep)) {
    place = join(place, part);
    const found = await lstat(place).catch(() => null);
    if (found?.isSymbolicLink()) return true;
  }
  return false;
}
