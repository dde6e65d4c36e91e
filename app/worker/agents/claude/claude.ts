import { homedir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { knownAgents } from "~/nouns/workers/known-agents";
import { ask, findProgram } from "../../base/find-program";
import type { Allowance } from "../../base/options";
import { runAcpTurn } from "../acp/turn";
import { usageOfAnswer } from "../acp/usage";
import type { AgentTurn, KnownDriver } from "../driver";
import { runLineTurn } from "../line-turn";
import { resumable } from "../session-records";
import { claudeNeeds } from "./needs";
import { readClaudeRecord } from "./record";
import { readClaudeStream } from "./stream";
import { talkingWords, talkToClaude } from "./talk";

const { title, signIn } = knownAgents.claude;
const adapter = "claude-agent-acp";

const wordsFor: Record<Allowance, string[]> = {
  edit: ["--permission-mode", "acceptEdits"],
  commands: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,WebFetch,WebSearch"],
  all: ["--permission-mode", "bypassPermissions"],
};

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
        recorded: ({ environment: own }, sessionId, since) =>
          readClaudeRecord(homeOf(own), sessionId, since),
        tellsMoreThanRecord: true,
        run: (turn, output) =>
          runAcpTurn(
            {
              title,
              program: acp,
              words: [],
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
      async run(wanted, output) {
        const turn = await resumable(
          title,
          wanted,
          output,
          join(homeOf(wanted.environment), "projects"),
        );
        const words = wordsOf(turn);
        const environment = asRoot(turn);
        const reader = readClaudeStream(turn.folder, output);
        const talk = (stdin: Writable, prompt: string) =>
          talkToClaude(stdin, prompt, turn.messages);
        const tool = { title, program, words, environment, talk };
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
    const told = /"loggedIn":\s*(true|false)/.exec(answer.output)?.[1];
    return told === undefined ? answer.isWell : told === "true";
  },
};

function wordsOf({ allow, model, mostCost, resume }: AgentTurn): string[] {
  return [
    "-p",
    ...talkingWords,
    ...["--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    ...wordsFor[allow],
    ...(model === undefined ? [] : ["--model", model]),
    // Checked between two answers of the model. Each process counts from zero.
    ...(mostCost === undefined ? [] : ["--max-budget-usd", mostCost.toFixed(4)]),
    ...(resume === undefined ? [] : ["--resume", resume.sessionId]),
  ];
}

function homeOf(environment: Record<string, string>): string {
  return environment.CLAUDE_CONFIG_DIR ?? join(environment.HOME ?? homedir(), ".claude");
}

/**
 * Claude Code refuses to run as root with everything allowed unless IS_SANDBOX is set. Trap: its adapter accepts any
 * value, Claude Code only `1`. With another value, the adapter would offer the mode and Claude Code would end the
 * session.
 */
function asRoot({ allow, environment }: AgentTurn): Record<string, string> {
  const isSandbox = allow === "all" || Boolean(environment.IS_SANDBOX);
  return isSandbox && process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {};
}
