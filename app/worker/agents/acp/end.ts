import { RequestError } from "@agentclientprotocol/sdk/unstable";
import type { TurnEnd } from "../driver";
import { limitIn } from "../limits";
import { crashEnd } from "../line-turn";
import type { AcpAgent } from "./agent";
import { type Answer, errorDataSchema } from "./messages";

const authRequired = -32_000;

/** Maps the agent's last answer to the end of the turn. */
export function readEnd({ stopReason }: Answer, trouble: string | null, words: string): TurnEnd {
  // Codex reports service failures separately.
  if (trouble !== null) return explain(`${trouble}\n${words.slice(-1_000)}`.trim());
  if (stopReason === "end_turn") return { kind: "done" };
  if (stopReason === "refusal") {
    const reason = "The model refused to continue this work";
    return { kind: "failed", cause: "refusal", reason };
  }
  const reason = `The agent stopped before it was done (${stopReason})`;
  return { kind: "failed", cause: "error", reason };
}

/** Maps the error that ended the conversation to the end of the turn. */
export function readFailure(agent: AcpAgent, error: unknown, trouble: string | null): TurnEnd {
  if (error instanceof ToolEnded) return error.end(agent.title, trouble);
  if (error instanceof RequestError) {
    const data = errorDataSchema.safeParse(error.data).data;
    if (error.code === authRequired || data?.errorKind === "authentication_failed") {
      return {
        kind: "failed",
        cause: "sign-in",
        reason: `${agent.title} is not signed in on this machine: ${agent.signIn}`,
      };
    }
    const words = [data?.message ?? error.message, trouble ?? ""].join("\n").trim();
    const hints = [words, data?.errorKind, JSON.stringify(data?.codexErrorInfo ?? "")].join(" ");
    const limit = limitIn(hints, error.code);
    if (limit !== null) return { kind: "limit", ...limit, reason: words };
    return explain(words);
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: "failed", cause: "error", reason };
}

function explain(words: string): TurnEnd {
  const limit = limitIn(words);
  if (limit !== null) return { kind: "limit", ...limit };
  return { kind: "failed", cause: killedWords.test(words) ? "killed" : "error", reason: words };
}

/** An adapter that outlives its tool says so in its own words. */
const killedWords = /\bprocess exited unexpectedly\b|\bwas killed by SIG[A-Z]+\b/;

/** The tool's process ended before it answered. */
export class ToolEnded extends Error {
  constructor(
    readonly code: number | null,
    readonly signal: string | null,
    readonly complaints: string,
  ) {
    super("The tool ended");
  }

  end(title: string, trouble: string | null): TurnEnd {
    const complaints = [trouble ?? "", this.complaints].join("\n").trim();
    const end = crashEnd(title, { code: this.code, signal: this.signal, complaints });
    // A tool that fails says why. Gemini's outer process ends without a word when its inner one is killed.
    const isSilent = end.kind === "failed" && end.cause === "crash" && complaints === "";
    return isSilent ? { ...end, cause: "killed" } : end;
  }
}
