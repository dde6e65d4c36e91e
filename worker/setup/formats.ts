import { join, normalize } from "node:path";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import type { Place } from "../git/rules";

/** Commands and patterns that a file of another tool has. */
export interface Said {
  setup?: string | undefined;
  cleanup?: string | undefined;
  run?: string | undefined;
  test?: string | undefined;
  /** Patterns of ignored files to copy, as in `.gitignore`. */
  copy?: string | undefined;
  /** Variables of its commands. */
  environment?: Record<string, string> | undefined;
  /** Why something in it is not taken. */
  reasons?: string[];
}

type IsAtMain = (path: string) => Promise<boolean>;

export interface Format {
  path: string;
  /** Another file that counts instead, if it is there. */
  replacedBy?: string;
  read(text: string, isAtMain: IsAtMain): Said | Promise<Said>;
  variables?(place: Place): Record<string, string>;
}

const platform = process.platform === "darwin" ? "darwin" : "linux";
const text = z.string().optional().catch(undefined);
const listed = (join: (all: string[]) => string) =>
  z
    .union([z.string(), z.array(z.string()).transform(join)])
    .optional()
    .catch(undefined);
const lines = listed((all) => all.join(" &&\n"));
/** Each in the worktree itself, no matter where the one before has gone. */
const separate = listed((all) => (all.length > 1 ? all.map((one) => `(${one})`) : all).join(" &&\n"));
const words = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));

const codexPart = z
  .object({ script: text, linux: z.object({ script: text }).optional(), darwin: z.object({ script: text }).optional() })
  .optional()
  .catch(undefined);
const codexSchema = z.object({
  setup: codexPart,
  cleanup: codexPart,
  actions: z.array(z.object({ name: z.string().catch(""), icon: text, command: z.string(), platform: text })).catch([]),
});

function readCodex(given: string): Said {
  const { setup, cleanup, actions } = codexSchema.parse(parseToml(given));
  const here = actions.filter((action) => action.platform === undefined || action.platform === platform);
  const named = here.filter(({ name }) => /^(run|dev|start)$/i.test(name));
  const run = here.find(({ icon }) => icon === "run") ?? (named.length === 1 ? named[0] : undefined);
  return {
    setup: setup?.[platform]?.script ?? setup?.script,
    cleanup: cleanup?.[platform]?.script ?? cleanup?.script,
    run: run?.command,
    test: here.find(({ icon }) => icon === "test")?.command,
  };
}

const target = z.object({ command: z.string(), default: z.boolean().optional() });
const conductorSchema = z.object({
  file_include_globs: text,
  scripts: z
    .object({
      setup: lines,
      archive: lines,
      run: z
        .union([z.string(), z.record(z.string(), target)])
        .optional()
        .catch(undefined),
    })
    .default({ setup: undefined, archive: undefined }),
  environment_variables: z.record(z.string(), z.unknown()).default({}),
});

function readConductor(given: unknown): Said {
  const { scripts, file_include_globs, environment_variables } = conductorSchema.parse(given);
  const { setup, archive, run } = scripts;
  const targets = typeof run === "string" ? [{ command: run, default: true }] : Object.values(run ?? {});
  const chosen = targets.length === 1 ? targets[0] : targets.find((one) => one.default);
  const variables = Object.entries({ ...environment_variables, ...words.safeParse(environment_variables.local).data });
  const plain = variables.flatMap(([name, value]) =>
    typeof value === "object" ? [] : [[name, String(value)] as const],
  );
  const isSecret = ([name]: readonly [string, string]) => /key|secret|token|pass|pwd|credential/i.test(name);
  const secrets = plain.filter(isSecret).map(([name]) => `${name} looks like a secret`);
  return {
    setup,
    cleanup: archive,
    run: chosen?.command,
    copy: file_include_globs,
    environment: Object.fromEntries(
      plain.filter((pair) => !isSecret(pair) && /^(?!BACKLOOM_)[A-Za-z_]\w*$/.test(pair[0])),
    ),
    reasons: secrets,
  };
}

const supersetSchema = z.object({ setup: lines, teardown: lines, run: lines, cwd: text });

async function readSuperset(given: string, isAtMain: IsAtMain): Promise<Said> {
  const { cwd, ...keys } = supersetSchema.parse(fromJson(given));
  if (cwd !== undefined && normalize(join("/a", cwd)).split("/")[1] !== "a") {
    return { reasons: [`its folder ${cwd} is outside the repository`] };
  }
  const there = cwd === undefined || normalize(cwd) === "." ? "" : `cd '${cwd.replaceAll("'", "'\\''")}' &&\n`;
  const fallback = async (name: string) => {
    const path = `.superset/${name}.sh`;
    return (await isAtMain(path)) ? `sh ${path}` : undefined;
  };
  const inThere = (command: string | undefined) => (command ? there + command : undefined);
  return {
    setup: inThere(keys.setup) ?? (await fallback("setup")),
    cleanup: inThere(keys.teardown) ?? (await fallback("teardown")),
    run: inThere(keys.run),
  };
}

const cursorSchema = z.object({ "setup-worktree": separate, "setup-worktree-unix": separate });

/** A text is a script in the file's folder, or, as public files have it, a whole command. */
async function readCursor(given: string, isAtMain: IsAtMain): Promise<Said> {
  const parsed = cursorSchema.parse(fromJson(given));
  const setup = parsed["setup-worktree-unix"] ?? parsed["setup-worktree"];
  if (setup === undefined) return {};
  const path = normalize(join(".cursor", setup));
  if (/^[\w./-]+$/.test(setup)) {
    if (path.startsWith("..")) return { reasons: [`its script ${setup} is outside the repository`] };
    if (await isAtMain(path)) return { setup: `./${path}` };
  }
  return { setup };
}

const orcaSchema = z.object({ scripts: z.object({ setup: text, archive: text }).default({}) });

export function fromJson(given: string): unknown {
  const errors: Parameters<typeof parseJson>[1] = [];
  const value: unknown = parseJson(given.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
  if (errors.length > 0) throw new Error("it is not JSON");
  return value;
}

/** In the order in which the first that names something counts. */
export const formats: readonly Format[] = [
  { path: ".worktreeinclude", read: (copy) => ({ copy }) },
  {
    path: ".codex/environments/environment.toml",
    read: readCodex,
    variables: ({ worktree, source }) => ({ CODEX_WORKTREE_PATH: worktree, CODEX_SOURCE_TREE_PATH: source }),
  },
  { path: ".conductor/settings.toml", read: (given) => readConductor(parseToml(given)), variables: conductorVariables },
  {
    path: "conductor.json",
    replacedBy: ".conductor/settings.toml",
    read: (given) => readConductor(fromJson(given)),
    variables: conductorVariables,
  },
  {
    path: ".superset/config.json",
    read: readSuperset,
    variables: ({ worktree, source, name }) => ({
      SUPERSET_ROOT_PATH: source,
      SUPERSET_WORKSPACE_NAME: name,
      SUPERSET_WORKSPACE_PATH: worktree,
    }),
  },
  { path: ".cursor/worktrees.json", read: readCursor, variables: ({ source }) => ({ ROOT_WORKTREE_PATH: source }) },
  {
    path: "orca.yaml",
    read(given) {
      const { setup, archive } = orcaSchema.parse(parseYaml(given) ?? {}).scripts;
      const strict = (script: string | undefined) => script && `set -e\n${script}`;
      return { setup: strict(setup), cleanup: strict(archive) };
    },
    variables: ({ worktree, source }) => ({ ORCA_ROOT_PATH: source, ORCA_WORKTREE_PATH: worktree }),
  },
];

function conductorVariables({ worktree, source, name, main, port }: Place): Record<string, string> {
  return {
    CONDUCTOR_WORKSPACE_NAME: name,
    CONDUCTOR_WORKSPACE_PATH: worktree,
    CONDUCTOR_ROOT_PATH: source,
    CONDUCTOR_DEFAULT_BRANCH: main,
    CONDUCTOR_PORT: String(port),
    CONDUCTOR_IS_LOCAL: "1",
  };
}
