import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { knownAgents } from "~/wire/workers/known-agents";
import { ask, findProgram } from "../../base/find-program";
import type { Allowance } from "../../base/options";
import { runAcpTurn, usageOfAnswer } from "../acp/agent";
import { type AgentTurn, inFolder, type KnownDriver, type ToolNeeds, type ToolStart, type Usage } from "../driver";
import { runLineTurn } from "../line-turn";
import { linesOfSession, resumable } from "../session-records";
import { disjoint } from "../usage";
import { readCodexLines } from "./jsonl";

const { title, signIn } = knownAgents.codex;
const adapter = "codex-acp";

const sandboxFor: Record<Allowance, string[]> = {
  edit: ["-c", 'sandbox_mode="workspace-write"'],
  commands: ["-c", 'sandbox_mode="workspace-write"', "-c", "sandbox_workspace_write.network_access=true"],
  all: ["--dangerously-bypass-approvals-and-sandbox"],
};

const codexNeeds: ToolNeeds = {
  home: {
    moved: { variable: "CODEX_HOME", folder: ".codex" },
    settings: inFolder(".codex", ["config.toml", "AGENTS.md", "AGENTS.override.md", "prompts", "skills", "rules"]),
    login: [".codex/auth.json"],
    copied: [],
  },
  programs: ["codex", "codex-acp"],
  variables: () => [/^((OPENAI|CODEX|AZURE_OPENAI)_\w+)$/],
  hosts: ["api.openai.com", "chatgpt.com", "auth.openai.com"],
  ownLookups: ["ab.chatgpt.com", "api.github.com", "github.com"],
  sessions: { folder: ".codex/sessions", endOf: (id) => `-${id}.jsonl` },
};

/** Codex: through its ACP adapter if installed, otherwise through its JSON lines. */
export const codex: KnownDriver = {
  ...knownAgents.codex,
  program: "codex",
  confinesCommands: true,
  needs: codexNeeds,
  async find(environment) {
    const program = await findProgram("codex", environment);
    const acp = await findProgram(adapter, environment);
    const recorded: ToolStart["recorded"] = ({ environment: own }, sessionId, since) =>
      readCodexRecord(homeOf(own), sessionId, since);
    if (acp !== null) {
      return {
        way: adapter,
        program: acp,
        recorded,
        run: (turn, output) =>
          runAcpTurn(
            {
              title,
              program: acp,
              args: [],
              coverage: { commandsAreEscapes: true },
              modeFor: ({ allow, confine }) =>
                allow === "all" || confine !== undefined ? "agent-full-access" : "agent",
              environment: () => ({ NO_BROWSER: "1", ...(program === null ? {} : { CODEX_PATH: program }) }),
              usageOf: (answer, { model }) => usageOfAnswer(answer, model),
              signIn,
            },
            turn,
            output,
          ),
      };
    }
    if (program === null) return null;
    return {
      way: "codex exec",
      program,
      recorded,
      async run(wanted, output) {
        const turn = await resumable(title, wanted, output, join(homeOf(wanted.environment), "sessions"));
        const reader = readCodexLines(turn.folder, output, turn.model ?? null);
        return runLineTurn({ title, program, args: argsOf(turn) }, turn, output, reader);
      },
    };
  },
  async isSignedIn(environment) {
    if (environment.OPENAI_API_KEY || environment.CODEX_API_KEY) return true;
    const program = await findProgram("codex", environment);
    if (program === null) return null;
    const answer = await ask(program, ["login", "status"], environment);
    if (answer?.isWell) return true;
    // Other model providers have their own login, which is not visible here.
    const settings = await readFile(join(homeOf(environment), "config.toml"), "utf8").catch(() => "");
    const isElsewhere = /^ {0,8}model_provider *= *"(?!openai")/m.test(settings.slice(0, 100_000));
    return isElsewhere || answer === null ? null : false;
  },
};

/** Codex's own sandbox cannot start inside the worker's, which is stricter. */
const inSandbox = ["-c", 'sandbox_mode="danger-full-access"', "-c", 'approval_policy="never"'];

function argsOf({ allow, model, effort, resume, confine }: AgentTurn): string[] {
  return [
    "exec",
    ...(resume === undefined ? [] : ["resume", resume.sessionId]),
    "--json",
    "--skip-git-repo-check",
    ...(confine === undefined ? sandboxFor[allow] : inSandbox),
    ...(model === undefined ? [] : ["-m", model]),
    ...(effort === undefined ? [] : ["-c", `model_reasoning_effort="${effort}"`]),
    "-",
  ];
}

function homeOf(environment: Record<string, string>): string {
  return environment.CODEX_HOME ?? join(environment.HOME ?? homedir(), ".codex");
}

const codexCounts = z.looseObject({
  input_tokens: z.number(),
  cached_input_tokens: z.number().nullish(),
  cache_write_input_tokens: z.number().nullish(),
  output_tokens: z.number(),
});
const codexLine = z.looseObject({
  timestamp: z.string(),
  type: z.string(),
  payload: z.looseObject({
    type: z.string().optional(),
    model: z.string().optional(),
    info: z.looseObject({ total_token_usage: codexCounts }).nullish(),
    usage: codexCounts.nullish(),
  }),
});

/** Counts come before an answer's calls; older versions record session totals after them: usage is the difference. */
export async function readCodexRecord(home: string, sessionId: string, since: Date): Promise<Usage[] | null> {
  const lines = await linesOfSession(join(home, "sessions"), sessionId);
  if (lines === null) return null;
  let model: string | null = null;
  let before = nothingCounted;
  let after = before;
  const answers: CodexCounts[] = [];
  for (const line of lines) {
    const entry = codexLine.safeParse(line).data;
    if (entry === undefined) continue;
    const isOfTurn = new Date(entry.timestamp) >= since;
    const { usage, info } = entry.payload;
    if (entry.type === "turn_context") model = entry.payload.model ?? model;
    if (entry.type === "token_usage_record" && usage && isOfTurn) answers.push(countsOf(usage));
    if (!info) continue;
    after = countsOf(info.total_token_usage);
    if (!isOfTurn) before = after;
  }
  const sums = answers.length > 0 ? answers.reduce((sum, one) => added(sum, one)) : added(after, before, -1);
  return [disjoint(model, sums)];
}

type CodexCounts = ReturnType<typeof countsOf>;
const nothingCounted: CodexCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function countsOf(counts: z.output<typeof codexCounts>) {
  return {
    input: counts.input_tokens,
    output: counts.output_tokens,
    cacheRead: counts.cached_input_tokens ?? 0,
    cacheWrite: counts.cache_write_input_tokens ?? 0,
  };
}

function added(one: CodexCounts, other: CodexCounts, sign: 1 | -1 = 1): CodexCounts {
  return {
    input: one.input + sign * other.input,
    output: one.output + sign * other.output,
    cacheRead: one.cacheRead + sign * other.cacheRead,
    cacheWrite: one.cacheWrite + sign * other.cacheWrite,
  };
}
