import { z } from "zod";
import { shortPath } from "./acp-updates";
import type { EntryKind, TurnEnd, TurnOutput, Usage } from "./driver";
import { limitIn } from "./limits";
import { crashEnd, jsonOf, type LineReader } from "./line-turn";
import { describeChange, type KnownCall, openCallLog } from "./tool-calls";
import { sumByModel } from "./usage";

const tokens = z.number().nullish();
const usageSchema = z.looseObject({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens,
  cache_creation_input_tokens: tokens,
});
const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});
const message = z.looseObject({
  id: z.string().optional(),
  model: z.string().optional(),
  content: z.union([z.string(), z.array(block)]).optional(),
  usage: usageSchema.optional(),
});

const lineSchema = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  session_id: z.string().optional(),
  message: message.optional(),
  event: z
    .looseObject({
      type: z.string(),
      message: message.optional(),
      delta: z
        .looseObject({ text: z.string().optional(), thinking: z.string().optional() })
        .optional(),
      usage: usageSchema.optional(),
    })
    .optional(),
  error: z.unknown().optional(),
  error_status: z.number().nullish(),
  retry_delay_ms: z.number().nullish(),
  rate_limit_info: z
    .looseObject({ status: z.string().optional(), resetsAt: z.number().optional() })
    .optional(),
  is_error: z.boolean().optional(),
  api_error_status: z.number().nullish(),
  result: z.string().optional(),
  stop_reason: z.string().nullish(),
  modelUsage: z
    .record(
      z.string(),
      z.looseObject({
        inputTokens: tokens,
        outputTokens: tokens,
        cacheReadInputTokens: tokens,
        cacheCreationInputTokens: tokens,
        costUSD: tokens,
      }),
    )
    .optional(),
  permission_denials: z
    .array(z.looseObject({ tool_name: z.string(), tool_input: z.record(z.string(), z.unknown()) }))
    .optional(),
});
type Line = z.output<typeof lineSchema>;
type Block = z.output<typeof block>;

/** Reads what `claude -p --output-format stream-json` prints. */
export function readClaudeStream(folder: string, output: TurnOutput): LineReader {
  const { transcript } = output;
  const log = openCallLog(transcript);
  const calls = new Map<string, KnownCall>();
  /** What each answer of the model took, by the answer's name: later news of it replace earlier ones. */
  const answers = new Map<string, Usage>();
  let current = "";
  let hasStreamed = false;
  let result: Line | undefined;
  let resetsAt: number | undefined;

  const count = (
    id: string,
    model: string | undefined,
    usage: z.output<typeof usageSchema>,
  ): void => {
    const known = answers.get(id);
    answers.set(id, {
      model: known?.model ?? modelName(model),
      freshInput: usage.input_tokens ?? known?.freshInput ?? null,
      output: usage.output_tokens ?? known?.output ?? null,
      cacheRead: usage.cache_read_input_tokens ?? known?.cacheRead ?? null,
      cacheWrite: usage.cache_creation_input_tokens ?? known?.cacheWrite ?? null,
      cost: null,
      currency: null,
    });
    output.usageSoFar(sumByModel(answers.values()));
  };

  /** With `--include-partial-messages`: words as they come, and the counts of each answer when it is whole. */
  const takeEvent = ({ type, message: begun, delta, usage }: NonNullable<Line["event"]>): void => {
    if (type === "message_start") {
      hasStreamed = true;
      transcript.endMessage();
      current = begun?.id ?? "";
      if (begun?.usage) count(current, begun.model, begun.usage);
    }
    if (delta?.text) transcript.say("text", delta.text);
    if (delta?.thinking) transcript.say("thought", delta.thinking);
    if (type === "message_delta" && usage) count(current, undefined, usage);
  };

  const takeAssistant = ({ id, model, content, usage }: NonNullable<Line["message"]>): void => {
    const isOurs = model === "<synthetic>";
    if (!hasStreamed && !isOurs && id !== undefined && usage) count(id, model, usage);
    for (const part of Array.isArray(content) ? content : []) {
      if (part.type === "text" && part.text && (!hasStreamed || isOurs)) {
        transcript.endMessage();
        transcript.say("text", part.text);
      }
      if (part.type === "tool_use" && part.id !== undefined) {
        const call = callOf(part, folder);
        calls.set(part.id, call);
        log.begin(part.id, call);
      }
    }
  };

  const takeResults = ({ content }: NonNullable<Line["message"]>): void => {
    for (const part of Array.isArray(content) ? content : []) {
      const id = part.tool_use_id;
      const call = id === undefined ? undefined : calls.get(id);
      if (part.type !== "tool_result" || id === undefined || call === undefined) continue;
      const said =
        call.kind === "edit" && !part.is_error ? (call.intent ?? "") : textOf(part.content);
      log.end(id, call, part.is_error ? "failed" : "done", said);
    }
  };

  const takeLine = (line: Line): void => {
    if (line.session_id !== undefined) output.session(line.session_id);
    if (line.type === "stream_event" && line.event) takeEvent(line.event);
    if (line.type === "assistant" && line.message) takeAssistant(line.message);
    if (line.type === "user" && line.message) takeResults(line.message);
    if (line.type === "rate_limit_event") resetsAt = line.rate_limit_info?.resetsAt ?? resetsAt;
    if (line.type === "system" && line.subtype === "api_retry") {
      const seconds = Math.ceil((line.retry_delay_ms ?? 0) / 1000);
      const text = `The model's service answered ${line.error_status ?? "with an error"}; trying again in ${seconds} s`;
      transcript.add({ kind: "note", text });
    }
    if (line.type === "result") result = line;
  };

  const tellUsage = (): void => {
    const byModel = Object.entries(result?.modelUsage ?? {});
    if (byModel.length === 0) {
      for (const usage of sumByModel(answers.values())) output.usage(usage);
      return;
    }
    const told = byModel.map(([model, counts]) => ({
      model: modelName(model),
      freshInput: counts.inputTokens ?? null,
      output: counts.outputTokens ?? null,
      cacheRead: counts.cacheReadInputTokens ?? null,
      cacheWrite: counts.cacheCreationInputTokens ?? null,
      cost: counts.costUSD ?? null,
      currency: counts.costUSD === undefined ? null : "USD",
    }));
    for (const usage of sumByModel(told)) output.usage(usage);
  };

  return {
    take(text) {
      const line = lineSchema.safeParse(jsonOf(text));
      if (line.success) takeLine(line.data);
    },
    end(exit) {
      tellUsage();
      for (const { tool_name, tool_input } of result?.permission_denials ?? []) {
        output.denied(titleOf(tool_name, tool_input, folder));
      }
      return result === undefined ? crashEnd("Claude Code", exit) : readResult(result, resetsAt);
    },
  };
}

function readResult(result: Line, resetsAt: number | undefined): TurnEnd {
  const words = result.result ?? result.subtype ?? "";
  if (result.is_error || result.subtype !== "success") {
    if (result.api_error_status === 401 || result.api_error_status === 403) {
      const reason = `Claude Code is not signed in on this machine (${words}): start claude once and sign in`;
      return { kind: "failed", cause: "sign-in", reason };
    }
    if (result.subtype === "error_max_budget_usd") {
      const reason = "Claude Code stopped at the sum that this job may cost";
      return { kind: "limit", reason, resetsAt: null, isBudget: true };
    }
    const limit = limitIn(words, result.api_error_status);
    if (limit === null) return { kind: "failed", cause: "error", reason: words };
    const known = resetsAt === undefined ? null : new Date(resetsAt * 1000).toISOString();
    return { kind: "limit", reason: limit.reason, resetsAt: known ?? limit.resetsAt };
  }
  if (result.stop_reason === "refusal") {
    const reason = "The model refused to go on with this work";
    return { kind: "failed", cause: "refusal", reason };
  }
  return { kind: "done" };
}

const kinds: Record<string, EntryKind> = {
  Bash: "command",
  Write: "edit",
  Edit: "edit",
  MultiEdit: "edit",
  NotebookEdit: "edit",
  TodoWrite: "plan",
};

function callOf({ name = "", input = {} }: Block, folder: string): KnownCall {
  const path = text(input.file_path) ?? text(input.notebook_path);
  const after = text(input.content) ?? text(input.new_string);
  return {
    kind: kinds[name] ?? "tool",
    title: titleOf(name, input, folder),
    path: path === undefined ? undefined : shortPath(path, folder),
    intent: after === undefined ? undefined : describeChange(text(input.old_string), after),
  };
}

function titleOf(name: string, input: Record<string, unknown>, folder: string): string {
  const path = text(input.file_path);
  const about =
    text(input.command) ??
    (path === undefined ? undefined : shortPath(path, folder)) ??
    text(input.pattern) ??
    text(input.description) ??
    text(input.url);
  if (name === "Bash" && about !== undefined) return about;
  return about === undefined ? name : `${name} ${about}`;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

const texts = z.array(z.looseObject({ text: z.string().optional() }));

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (texts.safeParse(content).data ?? []).map((part) => part.text ?? "").join("\n");
}

/** `claude-opus-4-8[1m]` is the model with a longer window: one price list, one name. */
function modelName(model: string | undefined): string | null {
  return model?.replace(/\[[^\]]*\]$/, "") ?? null;
}
