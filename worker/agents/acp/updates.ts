import { isAbsolute, relative } from "node:path";
import { z } from "zod";
import type { EntryKind, Transcript } from "../../base/transcript";
import type { SessionCost, TurnOutput } from "../driver";
import { describeChange, type KnownCall, openCallLog } from "../tool-calls";
import { nothingKnown } from "../usage";
import {
  chunkSchema,
  codexNewsSchema,
  planSchema,
  type ToolCall,
  toolCallSchema,
  type Update,
  usageUpdateSchema,
} from "./messages";

export interface SessionNews {
  /** Cost of this turn, if the agent reports it. */
  cost: SessionCost | null;
  /** Why the agent's service failed, even if the answer itself reports success. */
  trouble: string | null;
}

/** Reads session updates: adds entries to the transcript and keeps the rest. */
export function readUpdates(folder: string, output: TurnOutput) {
  const { transcript } = output;
  const calls = followCalls(folder, transcript);
  const news: SessionNews = { cost: null, trouble: null };
  const costs = readCosts();
  let message: string | null | undefined;

  const takeChunk = (kind: "text" | "thought", update: Update): void => {
    const text = chunkSchema.safeParse(update).data?.content.text;
    if (text === undefined) return;
    if (update.messageId !== message) transcript.endMessage();
    message = update.messageId;
    transcript.say(kind, text);
  };

  const take = (update: Update): void => {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        takeChunk("text", update);
        return;
      case "agent_thought_chunk":
        takeChunk("thought", update);
        return;
      case "tool_call":
      case "tool_call_update": {
        const call = toolCallSchema.safeParse(update);
        if (call.success) calls.take(call.data);
        return;
      }
      case "plan": {
        const plan = planSchema.safeParse(update);
        if (plan.success) transcript.add({ kind: "plan", text: planOf(plan.data.entries) });
        return;
      }
      case "usage_update": {
        const cost = usageUpdateSchema.safeParse(update).data?.cost;
        if (!cost) return;
        output.sessionCost(cost);
        news.cost = costs.take(cost);
        output.usageSoFar([{ ...nothingKnown, ...costOf(news.cost) }]);
        return;
      }
      case "session_info_update":
        takeCodex(update, news, transcript);
        return;
      default:
        return;
    }
  };
  /** Updates that an agent replays when it loads a session, before its first prompt. */
  const takeEarlier = (update: Update): void => {
    if (update.sessionUpdate !== "usage_update") return;
    const cost = usageUpdateSchema.safeParse(update).data?.cost;
    if (cost) costs.before(cost);
  };
  return { take, takeEarlier, resume: costs.before, news, running: calls.running };
}

function followCalls(folder: string, transcript: Transcript) {
  const calls = new Map<string, ToolCall>();
  const log = openCallLog(transcript);
  return {
    running: log.running,
    take(call: ToolCall): void {
      const known = merged(calls.get(call.toolCallId), call);
      calls.set(call.toolCallId, known);
      const shown = knownCall(known, folder);
      if (known.status === "completed" || known.status === "failed") {
        const status = known.status === "failed" ? "failed" : "done";
        log.end(known.toolCallId, shown, status, outputOf(known));
      } else if (hasBegun(known)) {
        log.begin(known.toolCallId, shown);
      }
    },
  };
}

/** Codex reports service errors outside the protocol. */
function takeCodex(update: Update, news: SessionNews, transcript: Transcript): void {
  const codex = codexNewsSchema.safeParse(update._meta).data?.codex;
  if (codex?.error) {
    const { message: said, additionalDetails } = codex.error;
    news.trouble = additionalDetails ?? said;
    transcript.add({ kind: "error", text: [said, additionalDetails].filter(Boolean).join("\n") });
  }
  if (codex?.threadStatus?.type === "systemError") news.trouble ??= "The agent's service failed";
  if (codex?.threadStatus?.type === "active") news.trouble = null;
}

/** Cost is the session's, so what was before this turn is subtracted; a value below means it counts from zero again. */
function readCosts() {
  let base: SessionCost | null = null;
  return {
    before(cost: SessionCost | null): void {
      base = cost;
    },
    take({ amount, currency }: SessionCost): SessionCost {
      if (base !== null && (base.currency !== currency || amount < base.amount)) base = null;
      return { amount: amount - (base?.amount ?? 0), currency };
    },
  };
}

const costOf = ({ amount, currency }: SessionCost) => ({ cost: amount, currency });

/** Merges an update into the known call; omitted fields keep their values. */
function merged(known: ToolCall | undefined, news: ToolCall): ToolCall {
  const given = Object.entries(news).filter(([, value]) => value !== undefined && value !== null);
  const both = { ...known, ...Object.fromEntries(given), toolCallId: news.toolCallId };
  const call = { ...news, ...both };
  const delta = terminalDelta(news);
  if (delta !== "") call._meta = { ...call._meta, output: terminalOf(known) + delta };
  else if (known?._meta?.output) call._meta = { ...call._meta, output: known._meta.output };
  return call;
}

const terminalSchema = z.looseObject({ terminal_output_delta: z.looseObject({ data: z.string() }) });

function terminalDelta({ _meta }: ToolCall): string {
  return terminalSchema.safeParse(_meta).data?.terminal_output_delta.data ?? "";
}

function terminalOf(call: ToolCall | undefined): string {
  return typeof call?._meta?.output === "string" ? call._meta.output : "";
}

/** Many agents announce a call without content. It is shown once there is something to show. */
function hasBegun({ status, rawInput, locations, content }: ToolCall): boolean {
  const hasInput = z.record(z.string(), z.unknown()).safeParse(rawInput);
  return (
    status === "in_progress" ||
    (hasInput.success && Object.keys(hasInput.data).length > 0) ||
    (locations?.length ?? 0) > 0 ||
    (content?.length ?? 0) > 0
  );
}

const kindOf: Record<string, EntryKind> = {
  execute: "command",
  edit: "edit",
  delete: "edit",
  move: "edit",
  think: "thought",
};

function knownCall(call: ToolCall, folder: string): KnownCall {
  const path = call.locations?.[0]?.path ?? call.content?.find((part) => part.path)?.path;
  return {
    kind: kindOf[call.kind ?? ""] ?? "tool",
    title: call.title ?? call.kind ?? "A tool",
    path: path === undefined || call.kind === "execute" ? undefined : shortPath(path, folder),
    intent: changesOf(call),
  };
}

/** Path relative to the repository. */
export function shortPath(path: string, folder: string): string {
  const short = isAbsolute(path) ? relative(folder, path) : path;
  return short.startsWith("..") ? path : short;
}

function changesOf({ content }: ToolCall): string {
  return (content ?? [])
    .filter((part) => part.type === "diff")
    .map((part) => describeChange(part.oldText, part.newText ?? ""))
    .join("\n");
}

const rawOutputSchema = z.looseObject({
  output: z.string().optional(),
  stdout: z.string().optional(),
  error: z.string().optional(),
});

function outputOf(call: ToolCall): string {
  const changes = changesOf(call);
  if (changes !== "") return changes;
  const texts = (call.content ?? []).map((part) => part.content?.text ?? "").filter(Boolean);
  if (texts.length > 0) return texts.join("\n");
  const terminal = terminalOf(call);
  if (terminal !== "") return terminal;
  if (typeof call.rawOutput === "string") return call.rawOutput;
  const raw = rawOutputSchema.safeParse(call.rawOutput).data;
  return raw?.output ?? raw?.stdout ?? raw?.error ?? "";
}

function planOf(entries: readonly { content: string; status?: string | undefined }[]): string {
  return entries.map(({ content, status }) => `${status === "completed" ? "[x]" : "[ ]"} ${content}`).join("\n");
}
