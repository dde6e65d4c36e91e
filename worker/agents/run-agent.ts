import { createRedactor } from "../base/redact";
import { openTranscript } from "../base/transcript";
import type { AgentEnd, AgentSink, AgentTurn, ToolStart, TurnEnd, Usage } from "./driver";
import { limitIn } from "./limits";

/** Sends no secrets to the sink. A cancelled turn throws its signal's reason, once its processes have ended. */
export async function runAgent(tool: ToolStart, turn: AgentTurn, sink: AgentSink): Promise<AgentEnd> {
  turn.signal.throwIfAborted();
  const { clean } = createRedactor(turn.secrets);
  const transcript = openTranscript(createRedactor(turn.secrets), (entry) => sink.entry(entry));
  const silence = watchSilence(turn.silenceSeconds);
  const signal = AbortSignal.any([turn.signal, silence.signal]);
  const since = new Date();
  const reported: Usage[] = [];
  const denied: string[] = [];
  let sessionId: string | null = null;

  const attempt = tool.run(
    { ...turn, signal },
    {
      transcript,
      usage: (usage) => reported.push(usage),
      usageSoFar: (usage) => sink.usageSoFar(usage),
      session: (id) => {
        if (id !== sessionId) sink.session(id);
        sessionId = id;
      },
      sessionCost: (cost) => sink.sessionCost(cost),
      denied: (what) => denied.push(clean(what)),
      alive: silence.heard,
    },
  );
  try {
    const end = await attempt.catch((error: unknown) => {
      turn.signal.throwIfAborted();
      if (!silence.signal.aborted) throw error;
      return silentEnd(turn.silenceSeconds, transcript.lastWords());
    });
    // A line reader returns normally when its tool is stopped.
    turn.signal.throwIfAborted();
    const turnEnd = silence.signal.aborted ? silentEnd(turn.silenceSeconds, transcript.lastWords()) : end;
    return { ...cleanEnd(turnEnd, clean), words: transcript.lastWords(), sessionId, denied };
  } finally {
    silence.end();
    transcript.flush();
    for (const usage of await usageOf(tool, turn, sessionId, since, reported)) sink.usage(usage);
  }
}

/** Usage from the tool's own record, which has every call, otherwise what the tool reported. */
async function usageOf(
  tool: ToolStart,
  turn: AgentTurn,
  sessionId: string | null,
  since: Date,
  reported: Usage[],
): Promise<Usage[]> {
  if (sessionId === null || tool.recorded === undefined) return reported;
  const hasCounts = reported.some((usage) => usage.freshInput !== null);
  if (hasCounts && tool.reportsMoreThanRecord) return reported;
  const recorded = await tool.recorded(turn, sessionId, since).catch(() => null);
  return recorded === null ? reported : withCost(recorded, reported);
}

function withCost(recorded: Usage[], reported: readonly Usage[]): Usage[] {
  const costs = reported.filter(({ cost }) => cost !== null);
  const [only, ...others] = recorded;
  if (costs.length !== 1 || only === undefined || others.length > 0) return recorded;
  return [{ ...only, cost: costs[0]?.cost ?? null, currency: costs[0]?.currency ?? null }];
}

function watchSilence(seconds: number) {
  const controller = new AbortController();
  const give = (): void => controller.abort(new Error("The tool has said nothing for too long"));
  const timer = setTimeout(give, seconds * 1000);
  return { signal: controller.signal, heard: () => void timer.refresh(), end: () => clearTimeout(timer) };
}

function silentEnd(seconds: number, words: string): TurnEnd {
  const time = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  const limit = limitIn(words.slice(-500));
  if (limit !== null) return { kind: "limit", ...limit };
  const reason = `The agent said nothing for ${time} and was stopped`;
  return { kind: "failed", cause: "silence", reason };
}

function cleanEnd(end: TurnEnd, clean: (text: string) => string): TurnEnd {
  return "reason" in end ? { ...end, reason: clean(end.reason).slice(-4_000) } : end;
}
