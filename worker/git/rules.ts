import { cp, stat } from "node:fs/promises";
import { basename, join, normalize, sep } from "node:path";
import { z } from "zod";
import { reviewMarksSchema } from "~/wire/reviews/marks";
import { knownAgents } from "~/wire/workers/known-agents";
import { forgeSettingSchema } from "../base/forge-kinds";
import { readAllowedHosts } from "../base/hosts";
import { allowances } from "../base/options";
import { sendable } from "../base/sendable";
import { copiedInto, noteCopied, sourceEnd } from "./copied";
import { git } from "./git";
import { copyIncluded, isBehindLink, listIncluded, sourceOf } from "./included";

const file = ".backloom.yml";

const commands = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === "string" ? given : given.join(" &&\n")));

/** Seconds: a number of them, or such as `20s` and `30m`. */
const duration = z.union([
  z.number().positive(),
  z
    .string()
    .regex(/^[1-9]\d{0,5}[smh]$/, "is not a duration such as 20s or 30m")
    .transform((text) => Number.parseInt(text, 10) * (text.endsWith("s") ? 1 : text.endsWith("m") ? 60 : 3_600)),
]);

const port = z.int().min(1).max(65_535);

/** A folder or file of the repository, by its path from the root. */
const pathInside = z
  .string()
  .transform((path) => normalize(path).replace(/\/$/, ""))
  .refine(isPathInside, "is not a path inside the repository");

const previewSchema = z.object({
  run: z.string().min(1).optional(),
  port: port.optional(),
  /** Path that answers when it is ready. */
  ready: z.string().startsWith("/").default("/"),
  ready_within: duration.default(120),
  stop_after: duration.default(1_800),
  host: z.enum(["rewrite", "keep"]).default("rewrite"),
  fixed_port: port.optional(),
});

const rulesSchema = z.object({
  /** Commands that set up a fresh worktree; `none` where nothing else may name some either. */
  setup: commands.optional(),
  /** Commands before the worktree goes. */
  cleanup: commands.optional(),
  /** `none`, or the name of a configuration in another tool's file, or what it takes to try the work. */
  preview: z.union([z.string().min(1), previewSchema]).optional(),
  /** Further ports of a preview, with their labels. */
  ports: z
    .union([
      z.array(port).transform((list) => list.map((number) => ({ port: number, label: String(number) }))),
      z
        .record(z.string(), port)
        .transform((all) => Object.entries(all).map(([label, number]) => ({ port: number, label }))),
    ])
    .default([]),
  /** Folders of a large repository that a worktree has; root-level files always. */
  sparse: z.array(pathInside).default([]),
  /** Ignored folders that worktrees have in common with the user's own checkout, never to write there. */
  share: z.array(pathInside).default([]),
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

function isPathInside(path: string): boolean {
  return (
    !/^[-/.]?$|^[-/]|[\p{C}*?[\]\\!#]/u.test(path) && !path.split(sep).some((part) => part === ".." || isGit(part))
  );
}

/** What a person is asked about must be what it looks like. */
function isPlainPath(text: string): boolean {
  const isLong = text.length > 200;
  return !isLong && /^(\/|~\/)./.test(text) && !/(^|\/)\.\.(\/|:|$)|\p{C}/u.test(text);
}

function isHost(text: string): boolean {
  return readAllowedHosts(text, "person") !== null;
}

export interface Rules extends z.output<typeof rulesSchema> {
  /** Keys of the file that mean nothing here, such as a later version's. */
  unknown: string[];
  /** Where commands come from that `.backloom.yml` does not name (`readSetup`). */
  origins: { setup?: Origin | undefined; cleanup?: Origin | undefined };
  /** Patterns of ignored files to copy, as in `.gitignore`. */
  include: string;
  /** The same for what commands of other tools read from the folder that a worktree is made of. */
  lent: string[];
}

/** Another tool's file, or a lockfile, that a command comes from. */
export interface Origin {
  path: string;
  shown: string;
  /** Files that it runs by path: not if the work has changed them. */
  scripts: readonly { path: string; id: string }[];
  environment(place: Place): Record<string, string>;
}

export interface Place {
  worktree: string;
  /** What a command may know of the folder that the worktree was made of. */
  source: string;
  main: string;
  name: string;
  /** The first of ten. */
  port: number;
}

const nothingFound = { unknown: [], origins: {}, include: "", lent: [] };

export const noRules: Rules = { ...rulesSchema.parse({}), ...nothingFound };

/** From the main branch (`meetingOf`): an agent's commits must not decide what is run or tested. */
export async function readRulesOf(folder: string, base: string): Promise<Rules> {
  const text = await git(folder, "show", `${base}:${file}`).catch(() => null);
  if (text === null) return noRules;
  const given = await parseYaml(text);
  const parsed = rulesSchema.safeParse(given);
  if (parsed.success) return { ...parsed.data, ...nothingFound, unknown: unknownIn(given) };
  throw new Error(`${file} is not as documented: ${z.prettifyError(parsed.error)}`);
}

function unknownIn(given: unknown): string[] {
  const names = (value: unknown, shape: object) =>
    Object.keys(z.record(z.string(), z.unknown()).safeParse(value).data ?? {}).filter((name) => !(name in shape));
  const { data } = z.object({ preview: z.unknown() }).safeParse(given);
  const nested = names(data?.preview, previewSchema.shape).map((name) => `preview.${name}`);
  return [...names(given, rulesSchema.shape), ...nested].map((name) => sendable(name, 60));
}

/** The newest main branch commit that the work contains. */
export async function meetingOf({
  folder,
  main,
  start,
}: {
  folder: string;
  main: string;
  start: string;
}): Promise<string> {
  if (start === main) return main;
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

/** Also those that other tools' commands may read. None that leads out of the checkout. Returns secret values. */
export async function copyAlong(
  { folder, repository }: { folder: string; repository: { folder: string } },
  rules: Rules,
): Promise<readonly string[]> {
  const copied: string[] = [];
  for (const name of rules.copy) {
    const path = normalize(name);
    if (path.startsWith("..") || path.startsWith(sep) || path.split(sep).some(isGit)) continue;
    if (await isBehindLink(repository.folder, path)) continue;
    // The branch is the agent's: a link in it could redirect the copy.
    if (await isBehindLink(folder, path)) continue;
    const source = join(repository.folder, path);
    if ((await stat(source).catch(() => null)) === null) continue;
    const filter = (from: string) => !isGit(basename(from));
    await cp(source, join(folder, path), { recursive: true, force: false, filter });
    copied.push(path);
  }
  const source = await sourceOf(repository.folder);
  if (source !== null) {
    const { files } = await listIncluded(source, rules.include);
    copied.push(...(await copyIncluded(source, files, folder)));
    const lent = await listIncluded(source, rules.lent.join("\n"));
    await copyIncluded(source, [...new Set([...files, ...lent.files])], `${folder}${sourceEnd}`);
  }
  await noteCopied(folder, copied, `${folder}${sourceEnd}`);
  return (await copiedInto(folder))?.values ?? [];
}

/** The names that git itself refuses in a tree: any case, and as Windows reads them (`core.protectNTFS`). */
function isGit(part: string): boolean {
  return /^(\.git|git~1)[. ]*(:|$)/i.test(part);
}
