import { z } from "zod";
import { shortPath } from "../acp/updates";
import type { TurnEnd, TurnOutput, Usage } from "../driver";
import { limitIn } from "../limits";
import { crashEnd, jsonOf, type LineReader } from "../line-turn";
import { type KnownCall, openCallLog } from "../tool-calls";
import { disjoint } from "../usage";

const tokens = z.number().nullish();

const item = z.looseObject({
  id: z.string(),
  type: z.string(),
  text: z.string().optional(),
  message: z.string().optional(),
  command: z.string().optional(),
  aggregated_output: z.string().optional(),
  exit_code: z.number().nullish(),
  status: z.string().optional(),
  changes: z.array(z.looseObject({ path: z.string(), kind: z.string() })).optional(),
  items: z.array(z.looseObject({ text: z.string(), completed: z.boolean() })).optional(),
  server: z.string().optional(),
  tool: z.string().optional(),
  query: z.string().optional(),
});
type Item = z.output<typeof item>;

const lineSchema = z.looseObject({
  type: z.string(),
  thread_id: z.string().optional(),
  item: item.optional(),
  message: z.string().optional(),
  error: z.looseObject({ message: z.string() }).nullish(),
  usage: z
    .looseObject({
      input_tokens: tokens,
      cached_input_tokens: tokens,
      cache_write_input_tokens: tokens,
      output_tokens: tokens,
    })
    .nullish(),
});
type Line = z.output<typeof lineSchema>;

/** Reads the output of `codex exec --json`. */
export function readCodexLines(folder: string, output: TurnOutput, model: string | null): LineReader {
  const { transcript } = output;
  let end: TurnEnd | undefined;
  let trouble = "";

  const takeItem = itemReader(folder, output);
  const takeLine = (line: Line): void => {
    if (line.thread_id !== undefined) output.session(line.thread_id);
    if (line.item !== undefined) takeItem(line.type, line.item);
    if (line.type === "error") {
      trouble = line.message ?? trouble;
      transcript.add({ kind: "error", text: line.message ?? "" });
    }
    if (line.type === "turn.failed") end = failureOf(line.error?.message ?? trouble);
    if (line.type === "turn.completed") {
      end = { kind: "done" };
      if (line.usage) output.usage(usageOf(line.usage, model));
    }
  };

  return {
    take(text) {
      const line = lineSchema.safeParse(jsonOf(text));
      if (line.success) takeLine(line.data);
    },
    end: (exit) => end ?? crashEnd("Codex", exit),
  };
}

function itemReader(folder: string, output: TurnOutput) {
  const { transcript } = output;
  const log = openCallLog(transcript);
  const takeCall = (given: Item, isOver: boolean): void => {
    const call = callOf(given, folder);
    log.begin(given.id, call);
    if (!isOver) return;
    const hasFailed = given.status === "failed" || given.status === "declined";
    if (given.status === "declined") output.denied(call.title);
    log.end(given.id, call, hasFailed ? "failed" : "done", given.aggregated_output ?? call.intent ?? "");
  };
  return (type: string, given: Item): void => {
    const isOver = type === "item.completed";
    if (given.type === "agent_message" && isOver) {
      transcript.endMessage();
      transcript.say("text", given.text ?? "");
    } else if (given.type === "reasoning" && isOver) {
      transcript.say("thought", given.text ?? "");
    } else if (given.type === "todo_list") {
      const text = (given.items ?? []).map((one) => `${one.completed ? "[x]" : "[ ]"} ${one.text}`);
      transcript.add({ kind: "plan", text: text.join("\n") });
    } else if (given.type === "error") {
      transcript.add({ kind: "note", text: given.message ?? "" });
    } else if (given.type !== "agent_message" && given.type !== "reasoning") {
      takeCall(given, isOver);
    }
  };
}

function usageOf(usage: NonNullable<Line["usage"]>, model: string | null): Usage {
  return disjoint(model, {
    input: usage.input_tokens ?? null,
    output: usage.output_tokens ?? null,
    cacheRead: usage.cached_input_tokens ?? null,
    cacheWrite: usage.cache_write_input_tokens ?? null,
  });
}

function failureOf(message: string): TurnEnd {
  if (/\b401\b|not logged in|unauthorized/i.test(message)) {
    const reason = `Codex is not signed in on this machine (${message}): run codex login`;
    return { kind: "failed", cause: "sign-in", reason };
  }
  const limit = limitIn(message);
  return limit === null ? { kind: "failed", cause: "error", reason: message } : { kind: "limit", ...limit };
}

function callOf(given: Item, folder: string): KnownCall {
  if (given.type === "command_execution") {
    return { kind: "command", title: commandOf(given.command ?? "") };
  }
  if (given.type === "file_change") {
    const [first] = given.changes ?? [];
    const lines = (given.changes ?? []).map(({ kind, path }) => `${kind} ${shortPath(path, folder)}`);
    const path = first === undefined ? undefined : shortPath(first.path, folder);
    return { kind: "edit", title: lines.join(", "), path, intent: lines.join("\n") };
  }
  const about = given.query ?? [given.server, given.tool].filter(Boolean).join(": ");
  return { kind: "tool", title: `${given.type} ${about}`.trim() };
}

function commandOf(command: string): string {
  const [, , inner] = /^\S*sh -lc (['"])([\s\S]*)\1$/.exec(command) ?? [];
  return inner ?? command;
}
