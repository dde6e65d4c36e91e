import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { agentJobKinds } from "~/contract/agent-job";
import { WorkerProblem } from "./problems";

export const usage = `npm run worker -- --url <address> --token <api token> --exec "<command>" [options]

  --url        address of the service (or BACKLOOM_URL)
  --token      API token (or BACKLOOM_TOKEN, which keeps it out of the process list)
  --exec       command that does the work in the worktree; "demo" is built in and needs no account
  --repo       folder or address of the repository of one product; without it the product's own repository is cloned
  --name       name of this worker, the same after a restart (default: the name of this machine)
  --product    id or code: only jobs of this product (with --repo needed when you have several)
  --kinds      comma-separated job kinds (default: all)
  --test       command that checks the work; it must end with 0
  --pr         command that opens a pull request and prints its address
  --heartbeat  seconds between heartbeats (default: as the service says, 60)
  --quota      command that prints the remaining quota in percent
  --work-dir   where worktrees and logs are kept (default: ~/.backloom)
  --timeout    minutes after which a command is stopped (default: 120)
  --once       end after one job      --until-idle  end when the queue is empty
  --demo-ask   the demo asks one question before its first work`;

const seconds = z.coerce.number().positive().max(3600);

const optionsSchema = z.object({
  url: z.url({ protocol: /^https?$/, error: "--url must be the address of the service" }),
  token: z.string({ error: "--token is missing: make one under Settings, Tokens" }).min(1),
  exec: z.string({ error: '--exec is missing: the command that does the work, or "demo"' }).min(1),
  repo: z.string().min(1).optional(),
  name: z.string().min(1).max(90).optional(),
  product: z.string().optional(),
  kinds: z
    .string()
    .transform((list) => list.split(",").map((kind) => kind.trim()))
    .pipe(z.array(z.enum(agentJobKinds)))
    .optional(),
  test: z.string().min(1).optional(),
  pr: z.string().min(1).optional(),
  heartbeat: seconds.optional(),
  quota: z.string().min(1).optional(),
  "work-dir": z.string().min(1).optional(),
  timeout: z.coerce.number().positive().default(120),
  once: z.boolean().default(false),
  "until-idle": z.boolean().default(false),
  "demo-ask": z.boolean().default(false),
});

export interface WorkerOptions {
  url: string;
  token: string;
  exec: string;
  repo: string | undefined;
  name: string;
  product: string | undefined;
  kinds: z.output<typeof optionsSchema>["kinds"];
  testCommand: string | undefined;
  pullRequestCommand: string | undefined;
  heartbeatSeconds: number | undefined;
  quotaCommand: string | undefined;
  workDir: string;
  timeoutMinutes: number;
  once: boolean;
  untilIdle: boolean;
  /** The demo asks before its first work; false once it has asked. */
  demoAsk: boolean;
}

/** Reads the command line; the token may stay in the environment. */
export function readOptions(
  argv: readonly string[],
  environment: Record<string, string | undefined>,
): WorkerOptions {
  const parsed = optionsSchema.safeParse({
    url: environment.BACKLOOM_URL,
    token: environment.BACKLOOM_TOKEN,
    ...parseWords([...argv]),
  });
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join(".")}: ${issue.message}`,
    );
    throw new WorkerProblem(`${problems.join("\n")}\n\n${usage}`);
  }
  const { data } = parsed;
  return {
    url: data.url,
    token: data.token,
    exec: data.exec,
    repo: data.repo,
    product: data.product,
    kinds: data.kinds,
    once: data.once,
    name: data.name ?? hostname().slice(0, 90),
    testCommand: data.test,
    pullRequestCommand: data.pr,
    heartbeatSeconds: data.heartbeat,
    quotaCommand: data.quota,
    workDir: resolve(data["work-dir"] ?? join(homedir(), ".backloom")),
    timeoutMinutes: data.timeout,
    untilIdle: data["until-idle"],
    demoAsk: data["demo-ask"],
  };
}

function parseWords(args: string[]): Record<string, unknown> {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const flags = new Set(["once", "until-idle", "demo-ask"]);
  const names = Object.keys(optionsSchema.shape);
  const options = Object.fromEntries(names.map((name) => [name, flags.has(name) ? flag : text]));
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new WorkerProblem(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}
