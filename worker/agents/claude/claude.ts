import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { z } from "zod";
import type { PersonMessage } from "~/wire/comments/contract";
import { knownAgents } from "~/wire/workers/known-agents";
import { ask, findProgram } from "../../base/find-program";
import type { Allowance } from "../../base/options";
import { runAcpTurn, usageOfAnswer } from "../acp/agent";
import { describeMessages } from "../describe-messages";
import {
  type AgentTurn,
  inFolder,
  type KnownDriver,
  type ToolNeeds,
  type ToolStart,
  type TurnMessages,
  type Usage,
} from "../driver";
import { jsonOf, runLineTurn } from "../line-turn";
import { linesOfSession, resumable } from "../session-records";
import { sumByModel } from "../usage";
import { readClaudeStream } from "./stream";

const { title, signIn } = knownAgents.claude;
const adapter = "claude-agent-acp";

const modes: Record<Allowance, string> = { edit: "acceptEdits", commands: "acceptEdits", all: "bypassPermissions" };

/** Trap: `--add-dir` would let it write there, and load what is there as skills and commands. */
function allowedTools({ allow, reads = [] }: AgentTurn): string[] {
  const tools = allow === "commands" ? ["Bash", "WebFetch", "WebSearch"] : [];
  const all = [...tools, ...reads.map((folder) => `Read(/${folder}/**)`)];
  return allow === "all" || all.length === 0 ? [] : ["--allowedTools", all.join(",")];
}

const claudeNeeds: ToolNeeds = {
  home: {
    moved: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
    settings: inFolder(".claude", [
      "settings.json",
      "CLAUDE.md",
      "agents",
      "commands",
      "skills",
      "plugins",
      "rules",
      "output-styles",
    ]),
    login: [".claude/.credentials.json"],
    copied: [".claude.json"],
  },
  programs: ["claude", "claude-agent-acp"],
  variables: ({ CLAUDE_CODE_USE_BEDROCK }) => [
    /^(ANTHROPIC_\w+|CLAUDE_\w+|DISABLE_\w+|MAX_\w+_TOKENS|API_TIMEOUT_MS|IS_SANDBOX|CLOUD_ML_REGION|VERTEX_REGION_\w+)$/,
    ...(CLAUDE_CODE_USE_BEDROCK ? [/^AWS_\w+$/] : []),
  ],
  hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
  ownLookups: [],
  sessions: { folder: ".claude/projects", endOf: (id) => `/${id}.jsonl` },
};

/** Both ways write the same record. */
const recorded: NonNullable<ToolStart["recorded"]> = ({ environment }, sessionId, since) =>
  readClaudeRecord(homeOf(environment), sessionId, since);

/** Claude Code: through its ACP adapter if installed, otherwise through its JSON lines. */
export const claude: KnownDriver = {
  ...knownAgents.claude,
  program: "claude",
  needs: claudeNeeds,
  async find(environment) {
    const program = await findProgram("claude", environment);
    const acp = await findProgram(adapter, environment);
    if (acp !== null) {
      return {
        way: adapter,
        program: acp,
        recorded,
        reportsMoreThanRecord: true,
        run: (turn, output) =>
          runAcpTurn(
            {
              title,
              program: acp,
              args: [],
              coverage: { commandsAreEscapes: false },
              modeFor: ({ allow }) => (allow === "all" ? "bypassPermissions" : "acceptEdits"),
              environment: (given) => ({
                ...asRoot(given),
                ...(program === null ? {} : { CLAUDE_CODE_EXECUTABLE: program }),
              }),
              usageOf: (answer, { model }) => usageOfAnswer(answer, model),
              countsAnew: true,
              signIn,
            },
            turn,
            output,
          ),
      };
    }
    if (program === null) return null;
    return {
      way: "claude -p",
      program,
      recorded,
      async run(wanted, output) {
        const turn = await resumable(title, wanted, output, join(homeOf(wanted.environment), "projects"));
        const args = argsOf(turn);
        const environment = asRoot(turn);
        const { sessionId = null } = turn.resume ?? {};
        const home = homeOf(wanted.environment);
        const had = sessionId && (await readClaudeRecord(home, sessionId, new Date(0)));
        const reader = readClaudeStream(turn.folder, output, had || []);
        const talk = (stdin: Writable, prompt: string) => talkToClaude(stdin, prompt, turn.messages);
        const tool = { title, program, args, environment, talk };
        return runLineTurn(tool, turn, output, reader);
      },
    };
  },
  async isSignedIn(environment) {
    if (environment.ANTHROPIC_API_KEY || environment.ANTHROPIC_AUTH_TOKEN) return true;
    const program = await findProgram("claude", environment);
    if (program === null) return null;
    const answer = await ask(program, ["auth", "status"], environment);
    if (answer === null) return null;
    const loggedIn = /"loggedIn":\s*(true|false)/.exec(answer.output)?.[1];
    return loggedIn === undefined ? answer.isWell : loggedIn === "true";
  },
};

function argsOf(turn: AgentTurn): string[] {
  const { allow, model, effort, mostCost, resume } = turn;
  return [
    "-p",
    ...streamingArgs,
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--permission-mode",
    modes[allow],
    ...allowedTools(turn),
    ...(model === undefined ? [] : ["--model", model]),
    ...(effort === undefined ? [] : ["--effort", effort]),
    // Checked between two answers of the model. Each process counts from zero.
    ...(mostCost === undefined ? [] : ["--max-budget-usd", mostCost.toFixed(4)]),
    ...(resume === undefined ? [] : ["--resume", resume.sessionId]),
  ];
}

function homeOf(environment: Record<string, string>): string {
  return environment.CLAUDE_CONFIG_DIR ?? join(environment.HOME ?? homedir(), ".claude");
}

/**
 * Claude Code refuses to run as root with everything allowed unless IS_SANDBOX is `1`. Trap: its adapter accepts any
 * value, would offer the mode, and Claude Code would end the session.
 */
function asRoot({ allow, environment }: AgentTurn): Record<string, string> {
  const isSandbox = allow === "all" || Boolean(environment.IS_SANDBOX);
  return isSandbox && process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {};
}

/** With these options Claude Code reads prompts as lines, even while it works, and replays those it has taken. */
const streamingArgs = ["--input-format", "stream-json", "--replay-user-messages"];

const lineSchema = z.looseObject({ type: z.string(), uuid: z.string().optional(), isReplay: z.boolean().optional() });

/** Messages are read between two calls; the input is closed at the first result, later ones wait for the next turn. */
function talkToClaude(stdin: Writable, prompt: string, messages: TurnMessages | undefined) {
  const send = (uuid: string, text: string): void => {
    const content = [{ type: "text", text }];
    stdin.write(`${JSON.stringify({ type: "user", uuid, message: { role: "user", content } })}\n`);
  };
  send(randomUUID(), prompt);
  const sent = new Set<string>();
  const leave = messages?.follow((message: PersonMessage) => {
    sent.add(message.id);
    send(message.id, describeMessages([message]));
  });
  return {
    take(line: string): void {
      const received = lineSchema.safeParse(jsonOf(line)).data;
      if (received?.isReplay && received.uuid !== undefined && sent.has(received.uuid)) {
        messages?.seen([received.uuid]);
      }
      if (received?.type === "result" && !stdin.writableEnded) stdin.end();
    },
    end(): void {
      stdin.end();
      leave?.();
    },
  };
}

const claudeLine = z.looseObject({
  timestamp: z.string(),
  message: z.looseObject({
    id: z.string(),
    model: z.string(),
    usage: z.looseObject({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_read_input_tokens: z.number().nullish(),
      cache_creation_input_tokens: z.number().nullish(),
    }),
  }),
});

/** Claude Code writes one line per part of an answer, each with the counts of the whole answer. */
async function readClaudeRecord(home: string, sessionId: string, since: Date): Promise<Usage[] | null> {
  const lines = await linesOfSession(join(home, "projects"), sessionId);
  if (lines === null) return null;
  const answers = new Map<string, Usage>();
  for (const line of lines) {
    const entry = claudeLine.safeParse(line).data;
    if (entry === undefined || new Date(entry.timestamp) < since) continue;
    const { id, model, usage } = entry.message;
    // Messages of Claude Code itself, not the model.
    if (model === "<synthetic>") continue;
    answers.set(id, {
      model,
      freshInput: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens ?? null,
      cacheWrite: usage.cache_creation_input_tokens ?? null,
      cost: null,
      currency: null,
    });
  }
  return sumByModel(answers.values());
}
