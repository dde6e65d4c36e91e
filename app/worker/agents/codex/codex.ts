import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { knownAgents } from "~/nouns/workers/known-agents";
import { ask, findProgram } from "../../base/find-program";
import type { Allowance } from "../../base/options";
import { runAcpTurn } from "../acp/turn";
import { usageOfAnswer } from "../acp/usage";
import type { AgentTurn, KnownDriver } from "../driver";
import { runLineTurn } from "../line-turn";
import { resumable } from "../session-records";
import { readCodexLines } from "./jsonl";
import { codexNeeds } from "./needs";
import { readCodexRecord } from "./record";

const { title, signIn } = knownAgents.codex;
const adapter = "codex-acp";

const sandboxFor: Record<Allowance, string[]> = {
  edit: ["-c", 'sandbox_mode="workspace-write"'],
  commands: [
    ...["-c", 'sandbox_mode="workspace-write"'],
    ...["-c", "sandbox_workspace_write.network_access=true"],
  ],
  all: ["--dangerously-bypass-approvals-and-sandbox"],
};

/** Codex: through its ACP adapter if installed, otherwise through its JSON lines. */
export const codex: KnownDriver = {
  ...knownAgents.codex,
  program: "codex",
  needs: codexNeeds,
  async find(environment) {
    const program = await findProgram("codex", environment);
    const acp = await findProgram(adapter, environment);
    const recorded = (
      { environment: own }: Pick<AgentTurn, "environment">,
      sessionId: string,
      since: Date,
    ) => readCodexRecord(homeOf(own), sessionId, since);
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
              modeFor: ({ allow, confine }) =>
                allow === "all" || confine !== undefined ? "agent-full-access" : "agent",
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
        const turn = await resumable(
          title,
          wanted,
          output,
          join(homeOf(wanted.environment), "sessions"),
        );
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
    if (answer?.isWell) return true;
    // Other model providers have their own login, which is not visible here.
    const settings = await readFile(join(homeOf(environment), "config.toml"), "utf8").catch(
      () => "",
    );
    const isElsewhere = /^ {0,8}model_provider *= *"(?!openai")/m.test(settings.slice(0, 100_000));
    return isElsewhere || answer === null ? null : false;
  },
};

/** Codex's own sandbox cannot start inside the worker's, which is stricter. */
const inSandbox = ["-c", 'sandbox_mode="danger-full-access"', "-c", 'approval_policy="never"'];

function wordsOf({ allow, model, resume, confine }: AgentTurn): string[] {
  return [
    "exec",
    ...(resume === undefined ? [] : ["resume", resume.sessionId]),
    ...["--json", "--skip-git-repo-check"],
    ...(confine === undefined ? sandboxFor[allow] : inSandbox),
    ...(model === undefined ? [] : ["-m", model]),
    "-",
  ];
}

function homeOf(environment: Record<string, string>): string {
  return environment.CODEX_HOME ?? join(environment.HOME ?? homedir(), ".codex");
}
