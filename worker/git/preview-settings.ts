import { resolve } from "node:path";
import { z } from "zod";
import { sendable } from "../base/sendable";
import { git } from "./git";
import type { Rules } from "./rules";

/** How the application of a repository is started, and how it is known to be ready. */
export interface PreviewSettings {
  run: string;
  /** Another tool's file says so, not `.backloom.yml`. */
  isOthers: boolean;
  folder: string;
  environment: Record<string, string>;
  port: number;
  isPortFixed: boolean;
  ready: string;
  readySeconds: number;
  stopSeconds: number;
  host: "rewrite" | "keep";
  /** Port of the worker's own machine on which it is reached, too. */
  fixedPort: number | undefined;
}

/** The repository says that there is nothing to try, or says nothing. */
export type NoPreview = "none" | "unset";

const launchFile = ".claude/launch.json";
const largestFile = 65_536;
const usualPort = 3000;

const launchSchema = z.object({
  configurations: z.array(
    z.object({
      name: z.string(),
      runtimeExecutable: z.string().optional(),
      runtimeArgs: z.array(z.string()).default([]),
      program: z.string().optional(),
      args: z.array(z.string()).default([]),
      port: z.int().min(1).max(65_535).default(usualPort),
      cwd: z.string().default(""),
      env: z.record(z.string().regex(/^(?!BACKLOOM_)[A-Za-z_]\w*$/), z.string()).default({}),
      autoPort: z.boolean().optional(),
    }),
  ),
});

/** `.backloom.yml` or `.claude/launch.json`, as at `base`: the work does not decide what is run for a person. */
export async function readPreview(folder: string, base: string, rules: Rules): Promise<PreviewSettings | NoPreview> {
  const { preview } = rules;
  if (preview === "none") return "none";
  const given = typeof preview === "object" ? preview : undefined;
  const common = {
    environment: {},
    isOthers: false,
    folder,
    isPortFixed: false,
    port: given?.port ?? usualPort,
    ready: given?.ready ?? "/",
    readySeconds: given?.ready_within ?? 120,
    stopSeconds: given?.stop_after ?? 1_800,
    host: given?.host ?? "rewrite",
    fixedPort: given?.fixed_port,
  };
  if (given?.run !== undefined) return { ...common, run: given.run };
  const name = typeof preview === "string" ? preview : undefined;
  const launch = await readLaunch(folder, base, name);
  return launch === null ? "unset" : { ...common, ...launch, port: given?.port ?? launch.port };
}

/** For pages of work, before anyone asks to try it. Who asks then hears of a mistake. */
export async function previewWord(folder: string, main: string, rules: Rules): Promise<NoPreview | "named"> {
  const base = await git(folder, "merge-base", "HEAD", main).catch(() => main);
  const found = await readPreview(folder, base, rules).catch(() => "named" as const);
  return typeof found === "string" ? found : "named";
}

async function readLaunch(folder: string, base: string, name: string | undefined) {
  const object = `${base}:${launchFile}`;
  const size = await git(folder, "cat-file", "-s", object).catch(() => null);
  if (size === null && name !== undefined) throw new Error(missing(name));
  if (size === null) return null;
  if (Number(size) > largestFile) throw new Error(`${launchFile} has more than 64 KiB, so it is not read`);
  // Loaded only if needed.
  const { parse } = await import("jsonc-parser");
  const { data } = launchSchema.safeParse(parse(await git(folder, "show", object), [], { allowTrailingComma: true }));
  if (data === undefined) throw new Error(`${launchFile} is not as documented, so it is not read`);
  // What names only an address means a server that runs already: a preview attaches to nothing of this machine.
  const inWorktree = (text: string) => text.replace(/\$\{workspaceFolder\}/g, folder);
  const startable = data.configurations.flatMap((one) => {
    const words = wordsOf(one);
    return words === null || (name !== undefined && one.name !== name) ? [] : [{ ...one, words }];
  });
  const [chosen] = startable;
  if (chosen === undefined && name !== undefined) throw new Error(missing(name));
  if (chosen === undefined) return null;
  return {
    run: chosen.words.map((word) => quoted(inWorktree(word))).join(" "),
    folder: resolve(folder, inWorktree(chosen.cwd)),
    environment: chosen.env,
    isOthers: true,
    port: chosen.port,
    isPortFixed: chosen.autoPort === false,
  };
}

function missing(name: string): string {
  return `preview: ${sendable(name, 100)} names no configuration with a command in ${launchFile} of the main branch`;
}

type Launch = z.output<typeof launchSchema>["configurations"][number];

function wordsOf({ runtimeExecutable, runtimeArgs, program, args }: Launch): string[] | null {
  if (runtimeExecutable !== undefined)
    return [runtimeExecutable, ...runtimeArgs, ...(program ? [program] : []), ...args];
  return program === undefined ? null : ["node", program, ...args];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
