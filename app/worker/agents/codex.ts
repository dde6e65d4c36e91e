import { homedir } from "node:os";
import { join } from "node:path";
import { runAcpTurn } from "./acp-session";
import { usageOfAnswer } from "./acp-usage";
import { readCodexLines } from "./codex-jsonl";
import type { AgentTurn, Allowance, Driver } from "./driver";
import { ask, findProgram } from "./find-program";
import { runLineTurn } from "./line-turn";
import { readCodexRecord, resumable } from "./session-records";

const title = "Codex";
const signIn = "run codex login";
const adapter = "codex-acp";

const sandboxFor: Record<Allowance, string[]> = {
  edit: ["-c", 'sandbox_mode="workspace-write"'],
  commands: [
    ...["-c", 'sandbox_mode="workspace-write"'],
    ...["-c", "sandbox_workspace_write.network_access=true"],
  ],
  all: ["--dangerously-bypass-approvals-and-sandbox"],
};

/** Codex: through its adapter where that is installed, else by its own JSON lines. */
export const codex: Driver = {
  name: "codex",
  title,
  signIn,
  program: "codex",
  install: "npm install -g @openai/codex (and @agentclientprotocol/codex-acp to let it ask)",
  reports: {
    "codex exec": {
      entries: "text, thoughts, commands, edits by name, plan",
      tokens: "at the end",
      cost: "no: the price list",
      resume: "yes",
      questions: "by the result file; what its sandbox forbids fails",
      limits: "yes, with the time where it is said",
    },
    [adapter]: {
      entries: "text, thoughts, commands, edits with their lines, plan",
      tokens: "at the end",
      cost: "no: the price list",
      resume: "yes",
      questions: "yes, and permission to leave its sandbox",
      limits: "yes",
    },
  },
  async find(environment) {
    const program = await findProgram("codex", environment);
    const acp = await findProgram(adapter, environment);
    const recorded = ({ environment: own }: AgentTurn, sessionId: string, since: Date) =>
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
              words: [],
              coverage: { commandsAreEscapes: true },
              modeFor: ({ allow }) => (allow === "all" ? "agent-full-access" : "agent"),
              environment: () => ({
                NO_BROWSER: "1",
                ...(program === null ? {} : { CODEX_PATH: program }),
              }),
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
        const turn = await resumable(wanted, join(homeOf(wanted.environment), "sessions"));
        const reader = readCodexLines(turn.folder, output, turn.model ?? null);
        return runLineTurn({ title, program, words: wordsOf(turn) }, turn, output, reader);
      },
    };
  },
  async isSignedIn(environment) {
    if (environment.OPENAI_API_KEY || environment.CODEX_API_KEY) return true;
    const program = await findProgram("codex", environment);
    if (program === null) return null;
    const answer = await ask(program, ["login", "status"], environment);
    return answer?.isWell ?? null;
  },
};

function wordsOf({ allow, model, resume }: AgentTurn): string[] {
  return [
    "exec",
    ...(resume === undefined ? [] : ["resume", resume.sessionId]),
    ...["--json", "--skip-git-repo-check"],
    ...sandboxFor[allow],
    ...(model === undefined ? [] : ["-m", model]),
    "-",
  ];
}

function homeOf(environment: Record<string, string>): string {
  return environment.CODEX_HOME ?? join(environment.HOME ?? homedir(), ".codex");
}
