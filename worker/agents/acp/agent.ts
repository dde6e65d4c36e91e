import type { AgentTurn, Driver, ToolStart, TurnEnd, TurnOutput, Usage } from "../driver";
import { disjoint } from "../usage";
import type { Answer } from "./messages";
import type { Coverage } from "./permission";

/** What differs between agents that speak the Agent Client Protocol (ACP). */
export interface AcpAgent {
  title: string;
  program: string;
  args: readonly string[];
  coverage: Coverage;
  /** The agent's own mode for an allowance. Without it, the agent asks and the worker answers. */
  modeFor?: (turn: AgentTurn) => string | undefined;
  environment?: (turn: AgentTurn) => Record<string, string>;
  usageOf(answer: Answer, session: { model: string | null }): Usage[];
  /** True if each process counts its cost from zero, even in a resumed session. */
  countsAnew?: boolean;
  /** How the user signs in. */
  signIn: string;
}

/** Runs one ACP turn. Imports the ACP code only when it is needed. */
export async function runAcpTurn(agent: AcpAgent, turn: AgentTurn, output: TurnOutput): Promise<TurnEnd> {
  const { converseOverAcp } = await import("./session");
  return converseOverAcp(agent, turn, output);
}

/** Token counts of an answer, which ACP defines as disjoint. */
export function usageOfAnswer({ usage, _meta }: Answer, model: string | null): Usage[] {
  if (!usage) return [];
  const named = _meta?.quota?.model_usage?.[0]?.model;
  return [
    {
      model: named?.replace(/\[[^\]]*\]$/, "") ?? model,
      freshInput: usage.inputTokens ?? null,
      output: usage.outputTokens ?? null,
      cacheRead: usage.cachedReadTokens ?? null,
      cacheWrite: usage.cachedWriteTokens ?? null,
      cost: null,
      currency: null,
    },
  ];
}

/** Gemini's counts, sent in `_meta`: input includes cached tokens, whose number is not reported. */
export function quotaOfAnswer({ _meta }: Answer, model: string | null): Usage[] {
  const quota = _meta?.quota;
  const models = quota?.model_usage ?? [];
  const counted = models.length > 0 ? models : [{ model, token_count: quota?.token_count }];
  return counted.flatMap(({ model: name, token_count }) => {
    if (!token_count) return [];
    const { input_tokens, output_tokens } = token_count;
    const counts = { input: input_tokens ?? null, output: output_tokens ?? null };
    return disjoint(name, { ...counts, cacheRead: null, cacheWrite: null });
  });
}

const signIn = "sign in as its makers say";

/** Any other ACP agent: `acp:` followed by the command that starts it. */
export function acpCommand(command: string): Driver {
  const title = command.trim().split(/\s+/)[0]?.split("/").at(-1) ?? command;
  return {
    name: `acp:${command}`,
    title,
    program: "/bin/sh",
    signIn,
    install: "the command after acp: must start an agent that speaks the Agent Client Protocol",
    reports: {},
    async find() {
      return acpStart({ title, program: "/bin/sh", args: ["-c", command], signIn });
    },
    isSignedIn: async () => null,
  };
}

/** Start of an agent of which only its command is known. */
export function acpStart(agent: Omit<AcpAgent, "coverage" | "usageOf">): ToolStart {
  const spoken: AcpAgent = {
    ...agent,
    coverage: { commandsAreEscapes: false },
    usageOf: (answer, { model }) => usageOfAnswer(answer, model),
  };
  const { program } = agent;
  return { way: "acp", program, run: (turn, output) => runAcpTurn(spoken, turn, output) };
}
