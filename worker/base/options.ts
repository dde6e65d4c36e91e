import "~/wire/zod-words";
import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { splitArgs } from "~/command-args";
import { agentJobKinds } from "~/wire/agent-jobs/contract";
import { knownAgents } from "~/wire/workers/known-agents";
import { isAlsoRepo } from "./allowed-repositories";
import { readAllowedHosts } from "./hosts";
import { WorkerProblem } from "./problems";

export const usage = `node ~/backloom-worker.mjs --url <URL> --token <API token> --agent <name> [options]
node ~/backloom-worker.mjs take T-42    take a task over in your terminal; --now does not wait for the agent's tool call
node ~/backloom-worker.mjs give         hand it in with proof; --back returns it to the agents
node ~/backloom-worker.mjs doctor       show what sets worktrees of --repo up, and what a job needs on disk; --json
node ~/backloom-worker.mjs agents       list the agents and sandbox of this machine; --sandbox tests another one,
                                        --registry lists the agents of the ACP registry

  --url        URL of the service (or BACKLOOM_URL)
  --token      API token (or BACKLOOM_TOKEN, which keeps it out of the process list)
  --agent      ${Object.keys(knownAgents).join(", ")}, an ID of the ACP registry, acp:<command> for any agent of the Agent Client
               Protocol, or auto (the one in .backloom.yml, otherwise the first installed). Separate several with commas;
               the first does what names none
  --allow      what the agent may do without asking: edit, commands or all (default: commands)
  --model      model of the first agent where the work names none, as the agent names it
  --silence    minutes without a sign of life after which an agent is stopped (default: 20)
  --secret     variable whose value never leaves this machine; repeatable
  --exec       command that does the work, instead of --agent; "demo" is built in and needs no account
  --output     what the command prints: text, claude-stream-json or codex-jsonl (default: text)
  --repo       folder or URL of one product's repository (default: clone the product's repository)
  --also-repo  URL of a repository that tasks may name, or its beginning up to a "/"; repeatable
  --hooks      run your repository's Git hooks
  --name       name of this worker; keep it across restarts (default: this machine's name)
  --product    only jobs of this product, by ID or code (needed with --repo if you have several)
  --kinds      only jobs of these kinds, separated by commas (default: all)
  --test       command that checks the work; it must exit with 0
  --proof-in-place  test and prove in the agent's worktree as it is, not on a clean checkout of its commit
  --pr         open pull requests at GitHub, GitLab or Forgejo, where the product wants them; or a command that opens them
               and prints their URL
  --land       push finished branches to the main branch where the product has a merge queue and no pull requests
  --heartbeat  seconds between heartbeats (default: as the service says, 60)
  --quota      command that prints the remaining quota in percent, of the agent in BACKLOOM_AGENT if there are several
  --sandbox    where agents and commands run: auto (bwrap where it works, else off), bwrap or off (default: auto)
  --net        host or host:port that jobs in a sandbox may reach, or "all" for any network; repeatable
  --mount      file or folder that jobs in a sandbox may read, with ":rw" write; repeatable
  --env        one of your variables that jobs in a sandbox get, besides the agent's keys; repeatable
  --previews   how many previews of handed-in work run here at once; 0 is none (default: 1)
  --trust-setup  take what set-up files of other tools in the main branch say, without a question
  --disk       gigabytes by which a job's worktree may grow, at most 90 % of the free space (default: 10)
  --work-dir   folder of worktrees and logs (default: ~/.backloom)
  --timeout    minutes after which a command is stopped (default: 120)
  --subscription  a subscription pays for the model: record tokens, no cost
  --once       exit after one job     --until-idle  exit when the queue is empty
  --demo-ask   the demo asks one question before its first work`;

/** What an agent may do without asking: edit files, also run commands, or anything. */
export const allowances = ["edit", "commands", "all"] as const;
export type Allowance = (typeof allowances)[number];

const outputFormats = ["text", "claude-stream-json", "codex-jsonl"] as const;
const seeHelp = "Add --help to see the options";

const seconds = z.coerce.number().positive().max(3600);
/** A longer timer would fire at once. */
const minutes = z.coerce.number().positive().max(35_791);

const noAlsoRepo = { message: "takes an https, ssh or git@ URL, or the beginning of one that ends in /" };

const noHost = "--net takes a host such as pypi.org or pypi.org:443, or all";
const noMount = "--mount takes an absolute path, with :rw after it if jobs may write";

function isHostOrAll(text: string): boolean {
  return text === "all" || readAllowedHosts(text, "person") !== null;
}

const optionsSchema = z.object({
  url: z.url({ protocol: /^https?$/, error: "--url must be the URL of the service, such as http://localhost:3000" }),
  token: z.string({ error: "--token is missing: create one under Settings, API tokens" }).min(1),
  agent: z.string().min(1).optional(),
  allow: z.enum(allowances).default("commands"),
  model: z.string().min(1).optional(),
  silence: minutes.default(20),
  secret: z.array(z.string().min(1)).default([]),
  exec: z.string().min(1).optional(),
  output: z.enum(outputFormats).default("text"),
  repo: z.string().min(1).optional(),
  "also-repo": z.array(z.string().refine(isAlsoRepo, noAlsoRepo)).default([]),
  hooks: z.boolean().default(false),
  name: z.string().min(1).max(90).optional(),
  product: z.string().optional(),
  kinds: z
    .string()
    .transform((list) => list.split(",").map((kind) => kind.trim()))
    .pipe(z.array(z.enum(agentJobKinds)))
    .optional(),
  test: z.string().min(1).optional(),
  "proof-in-place": z.boolean().default(false),
  pr: z.string().optional(),
  land: z.boolean().default(false),
  heartbeat: seconds.optional(),
  quota: z.string().min(1).optional(),
  sandbox: z.enum(["auto", "bwrap", "off"], "must be auto, bwrap or off").default("auto"),
  net: z.array(z.string().refine(isHostOrAll, noHost)).default([]),
  mount: z.array(z.string().regex(/^(\/|~\/)./, noMount)).default([]),
  env: z.array(z.string().regex(/^[A-Za-z_]\w*$/, "--env takes the name of a variable")).default([]),
  previews: z.coerce.number().int().min(0).max(100).default(1),
  disk: z.coerce.number().positive().default(10),
  "trust-setup": z.boolean().default(false),
  "work-dir": z.string().min(1).optional(),
  timeout: minutes.default(120),
  subscription: z.boolean().default(false),
  once: z.boolean().default(false),
  "until-idle": z.boolean().default(false),
  "demo-ask": z.boolean().default(false),
});

/** All options; a test checks that `usage` lists each. */
export const optionNames = Object.keys(optionsSchema.shape);

export interface AgentOptions {
  /** As typed; the first does what names none. */
  agents: readonly [string, ...string[]];
  allow: Allowance;
  model: string | undefined;
  silenceMinutes: number;
  /** Values that must not leave this machine. */
  secrets: string[];
}

export type ExecOptions = { exec: string; output: (typeof outputFormats)[number]; secrets: string[] };

export type WorkerOptions = ReturnType<typeof readOptions>;

/** Reads the command line. URL and token may come from the environment. */
export function readOptions(argv: readonly string[], environment: Record<string, string | undefined>) {
  const parsed = optionsSchema.safeParse({
    url: environment.BACKLOOM_URL,
    token: environment.BACKLOOM_TOKEN,
    ...valuesOf(argv),
  });
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) =>
      message.startsWith("--") ? message : `--${String(path[0])}: ${message}`,
    );
    throw new WorkerProblem([...problems, seeHelp].join("\n"));
  }
  const { data } = parsed;
  return {
    url: data.url,
    token: data.token,
    /** The agent or command that does the work. */
    work: workOf(data, environment),
    repo: data.repo,
    /** Repositories that tasks may name: addresses or prefixes of addresses. */
    alsoRepos: data["also-repo"],
    hooks: data.hooks,
    product: data.product,
    kinds: data.kinds,
    subscription: data.subscription,
    once: data.once,
    name: data.name ?? hostname().slice(0, 90),
    testCommand: data.test,
    /** True to test the worktree with what is in no commit. */
    provesInPlace: data["proof-in-place"],
    /** `--pr` without a value: the worker opens pull requests with the user's login at the Git host. */
    opensPulls: data.pr === "",
    /** `--land`: pushes branches without a pull request to the main branch. */
    lands: data.land,
    pullRequestCommand: data.pr || undefined,
    forgeUrl: readForgeUrl(environment.BACKLOOM_FORGE_URL),
    forgePollSeconds: readPollSeconds(environment.BACKLOOM_FORGE_POLL_SECONDS),
    heartbeatSeconds: data.heartbeat,
    quotaCommand: data.quota,
    sandbox: data.sandbox,
    net: data.net,
    mounts: data.mount,
    /** Further variables for jobs in a sandbox. */
    env: data.env,
    /** None of a worker that ends by itself. */
    previews: data.once || data["until-idle"] ? 0 : data.previews,
    /** Takes set-up files of other tools without a question. */
    trustsSetup: data["trust-setup"],
    diskGigabytes: data.disk,
    workDir: workDirOf(data["work-dir"]),
    timeoutMinutes: data.timeout,
    untilIdle: data["until-idle"],
    /** True if the demo should ask before its first work; false once it has asked. */
    demoAsk: data["demo-ask"],
  };
}

/** What `doctor` takes: the folder of a repository, and whether it answers in JSON. */
export function readDoctorOptions(argv: readonly string[]) {
  const { data } = optionsSchema.pick({ repo: true }).safeParse(valuesOf(argv.filter((arg) => arg !== "--json")));
  return {
    repo: data?.repo ?? ".",
    json: argv.includes("--json"),
    workDir: readWorkDir(argv.filter((arg) => arg !== "--json")),
  };
}

/** The folder of worktrees and logs that a command line names. */
export function readWorkDir(argv: readonly string[]): string {
  const given = optionsSchema.pick({ "work-dir": true }).safeParse(valuesOf(argv)).data;
  return workDirOf(given?.["work-dir"]);
}

function workDirOf(given: string | undefined): string {
  return resolve(given ?? join(homedir(), ".backloom"));
}

/** The words of a command line that belong to no option. */
export function withoutOptions(argv: readonly string[]): string[] {
  return readArgs(argv, true).positionals;
}

/** The `--sandbox` value of a command line, ignoring the rest. */
export function readSandboxOption(argv: readonly string[]): WorkerOptions["sandbox"] {
  const parsed = optionsSchema.pick({ sandbox: true }).safeParse(valuesOf(argv));
  if (parsed.success) return parsed.data.sandbox;
  throw new WorkerProblem(`--sandbox: ${parsed.error.issues[0]?.message}`);
}

/** Values that must not leave this machine. The list grows when a login is found. */
export function secretsOf({ work }: Pick<WorkerOptions, "work">): readonly string[] {
  return work.secrets;
}

export function learnSecret({ work }: Pick<WorkerOptions, "work">, secret: string): void {
  if (!work.secrets.includes(secret)) work.secrets.push(secret);
}

/** True for the built-in demo, which needs no account and no repository. */
export function isDemo({ work }: WorkerOptions): boolean {
  return "exec" in work && work.exec === "demo";
}

function workOf(
  data: z.output<typeof optionsSchema>,
  environment: Record<string, string | undefined>,
): AgentOptions | ExecOptions {
  const { agent, exec, allow, model, output, silence, secret, token } = data;
  const named = [...secret, "BACKLOOM_FORGE_TOKEN"].flatMap((name) => environment[name] || []);
  const secrets = [...named, token];
  const missing = secret.filter((name) => !environment[name]);
  if (missing.length > 0) throw new WorkerProblem(`--secret: ${missing.join(", ")} is not set`);
  if (agent !== undefined && exec !== undefined) {
    throw new WorkerProblem(`Give --agent or --exec, not both\n${seeHelp}`);
  }
  if (agent !== undefined) {
    return { agents: agentsOf(agent), allow, model, silenceMinutes: silence, secrets };
  }
  if (exec !== undefined) return { exec, output, secrets };
  throw new WorkerProblem(
    `--agent is missing: the agent that does the work, or --exec with a command, or --exec demo\n${seeHelp}`,
  );
}

/** A command after `acp:` may have commas of its own. */
function agentsOf(typed: string): AgentOptions["agents"] {
  const [listed = "", ...command] = typed.split(/(?:^|,)(?=acp:)/);
  const names = listed.split(",").map((name) => name.trim());
  const [first, ...others] = [...new Set([...names, command.join(",")])].filter(Boolean);
  if (first !== undefined) return [first, ...others];
  throw new WorkerProblem(`--agent: name at least one\n${seeHelp}`);
}

/** Allows `--pr` without a value, even as the last word. */
function withValueOfPr(argv: readonly string[]): string[] {
  return argv.map((arg, index) => {
    const next = argv[index + 1];
    return arg === "--pr" && (next === undefined || next.startsWith("--")) ? "--pr=" : arg;
  });
}

function readPollSeconds(given: string | undefined): number {
  const { data } = z.coerce
    .number()
    .min(2)
    .max(3_600)
    .safeParse(given || 60);
  if (data !== undefined) return data;
  throw new WorkerProblem("BACKLOOM_FORGE_POLL_SECONDS must be a number from 2 to 3600");
}

function readForgeUrl(given: string | undefined): string | undefined {
  if (!given || z.url({ protocol: /^https?$/ }).safeParse(given).success) return given || undefined;
  throw new WorkerProblem("BACKLOOM_FORGE_URL must be the URL of a Git host");
}

function valuesOf(argv: readonly string[]): Record<string, unknown> {
  return readArgs(argv, false).values;
}

function readArgs(argv: readonly string[], allowPositionals: boolean) {
  try {
    return splitArgs(withValueOfPr(argv), optionsSchema.shape, allowPositionals);
  } catch (error) {
    throw new WorkerProblem(`${error instanceof Error ? error.message : error}\n${seeHelp}`);
  }
}
