import { z } from "zod";
import type { EntryKind, Transcript } from "../../base/transcript";
import { shortPath } from "../acp/updates";
import type { TurnEnd, TurnOutput, Usage } from "../driver";
import { limitIn } from "../limits";
import { crashEnd, jsonOf, type LineReader } from "../line-turn";
import { describeChange, type KnownCall, openCallLog } from "../tool-calls";
import { nothingKnown, sumByModel } from "../usage";

/** Reads the output of `claude -p --output-format stream-json`. `had` is what a resumed conversation had taken before. */
export function readClaudeStream(folder: string, output: TurnOutput, had: readonly Usage[] = []): LineReader {
  const { transcript } = output;
  const calls = followCalls(folder, transcript);
  const answers = countAnswers(output, had);
  let current = "";
  let hasStreamed = false;
  const results: Line[] = [];
  let resetsAt: number | undefined;

  /** Events of `--include-partial-messages`: text as it streams, and the counts of each complete answer. */
  const takeEvent = ({ type, message: begun, delta, usage }: NonNullable<Line["event"]>): void => {
    if (type === "message_start") {
      hasStreamed = true;
      transcript.endMessage();
      current = begun?.id ?? "";
      if (begun?.usage) answers.count(current, begun.model, begun.usage);
    }
    if (delta?.text) transcript.say("text", delta.text);
    if (delta?.thinking) transcript.say("thought", delta.thinking);
    if (type === "message_delta" && usage) answers.count(current, undefined, usage);
  };

  const takeAssistant = ({ id, model, content, usage }: Message): void => {
    const isOurs = model === "<synthetic>";
    if (!hasStreamed && !isOurs && id !== undefined && usage) answers.count(id, model, usage);
    for (const part of partsOf(content)) {
      if (part.type === "text" && part.text && (!hasStreamed || isOurs)) {
        transcript.endMessage();
        transcript.say("text", part.text);
      }
      if (part.type === "tool_use") calls.begin(part);
    }
  };

  const takeLine = (line: Line): void => {
    if (line.session_id !== undefined) output.session(line.session_id);
    if (line.type === "stream_event" && line.event) takeEvent(line.event);
    if (line.type === "assistant" && line.message) takeAssistant(line.message);
    if (line.type === "user" && line.message) partsOf(line.message.content).forEach(calls.end);
    if (line.type === "rate_limit_event") resetsAt = line.rate_limit_info?.resetsAt ?? resetsAt;
    if (line.type === "system" && line.subtype === "api_retry") sayRetry(line, transcript);
    if (line.type === "result") results.push(line);
  };

  return {
    take(text) {
      const line = lineSchema.safeParse(jsonOf(text));
      if (line.success) takeLine(line.data);
    },
    end(exit) {
      const result = results.at(-1);
      answers.report(results);
      for (const { tool_name, tool_input } of result?.permission_denials ?? []) {
        output.denied(titleOf(tool_name, tool_input, folder));
      }
      return result === undefined ? crashEnd("Claude Code", exit) : readResult(result, resetsAt);
    },
  };
}

function partsOf(content: Message["content"]): Block[] {
  return Array.isArray(content) ? content : [];
}

/** A call is in one message, its result in a later one. */
function followCalls(folder: string, transcript: Transcript) {
  const log = openCallLog(transcript);
  const calls = new Map<string, KnownCall>();
  return {
    begin(part: Block): void {
      if (part.id === undefined) return;
      const call = callOf(part, folder);
      calls.set(part.id, call);
      log.begin(part.id, call);
    },
    end(part: Block): void {
      const id = part.tool_use_id;
      const call = id === undefined ? undefined : calls.get(id);
      if (part.type !== "tool_result" || id === undefined || call === undefined) return;
      const isShown = call.kind === "edit" && !part.is_error;
      const output = isShown ? (call.intent ?? "") : textOf(part.content);
      log.end(id, call, part.is_error ? "failed" : "done", output);
    },
  };
}

function sayRetry({ retry_delay_ms, error_status }: Line, transcript: Transcript): void {
  const seconds = Math.ceil((retry_delay_ms ?? 0) / 1000);
  const text = `The model's service answered ${error_status ?? "with an error"}; trying again in ${seconds} s`;
  transcript.add({ kind: "note", text });
}

function readResult(result: Line, resetsAt: number | undefined): TurnEnd {
  const text = result.result ?? result.subtype ?? "";
  if (result.is_error || result.subtype !== "success") {
    if (result.api_error_status === 401 || result.api_error_status === 403) {
      const reason = `Claude Code is not signed in on this machine (${text}): start claude once and sign in`;
      return { kind: "failed", cause: "sign-in", reason };
    }
    if (result.subtype === "error_max_budget_usd") {
      const reason = "Claude Code stopped at the sum that this job may cost";
      return { kind: "limit", reason, resetsAt: null, isBudget: true };
    }
    const limit = limitIn(text, result.api_error_status);
    if (limit === null) return { kind: "failed", cause: "error", reason: text };
    const known = resetsAt === undefined ? null : new Date(resetsAt * 1000).toISOString();
    return { kind: "limit", reason: limit.reason, resetsAt: known ?? limit.resetsAt };
  }
  if (result.stop_reason === "refusal") {
    const reason = "The model refused to continue this work";
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

function countAnswers(output: TurnOutput, had: readonly Usage[]) {
  /** By message id; later counts replace earlier ones. */
  const answers = new Map<string, Usage>();
  return {
    count(id: string, model: string | undefined, counts: Counts): void {
      const known = answers.get(id);
      answers.set(id, {
        model: known?.model ?? modelName(model),
        freshInput: counts.input_tokens ?? known?.freshInput ?? null,
        output: counts.output_tokens ?? known?.output ?? null,
        cacheRead: counts.cache_read_input_tokens ?? known?.cacheRead ?? null,
        cacheWrite: counts.cache_creation_input_tokens ?? known?.cacheWrite ?? null,
        cost: null,
        currency: null,
      });
      output.usageSoFar(sumByModel(answers.values()));
    },
    /** The tool's own totals take precedence over the counted ones. */
    report(results: readonly Line[]): void {
      const parts = results.map((result) => result.model_usage_since_last_result).filter((part) => part !== undefined);
      const whole = Object.entries(results.at(-1)?.modelUsage ?? {}).map(usageOf);
      const counted = sumByModel(answers.values());
      const reported =
        parts.length > 0
          ? parts.flatMap((models) => Object.entries(models).map(usageOf))
          : whole.map((usage) => sinceThen(usage, had, counted));
      const used = parts.length > 0 || reported.length > 0 ? sumByModel(reported) : counted;
      for (const usage of used) if (tokensOf(usage) > 0 || usage.cost) output.usage(usage);
    },
  };
}

/** Some releases give only a total, of the conversation or of their process; the cost of the rest is then unknown. */
function sinceThen(total: Usage, had: readonly Usage[], counted: readonly Usage[]): Usage {
  const before = had.find(({ model }) => model === total.model);
  const turn = counted.find(({ model }) => model === total.model);
  if (before === undefined || tokensOf(total) < tokensOf(before) + tokensOf(turn)) return total;
  const less = (one: number | null, other: number | null) => (one ?? 0) - (other ?? 0);
  return {
    model: total.model,
    freshInput: less(total.freshInput, before.freshInput),
    output: less(total.output, before.output),
    cacheRead: less(total.cacheRead, before.cacheRead),
    cacheWrite: less(total.cacheWrite, before.cacheWrite),
    cost: null,
    currency: null,
  };
}

function tokensOf(usage: Usage | undefined): number {
  const { freshInput, output, cacheRead, cacheWrite } = usage ?? nothingKnown;
  return (freshInput ?? 0) + (output ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
}

type ModelCounts = NonNullable<Line["modelUsage"]>[string];

function usageOf([model, counts]: [string, ModelCounts]): Usage {
  const cost = counts.costUSD ?? null;
  return {
    model: modelName(model),
    freshInput: counts.inputTokens ?? null,
    output: counts.outputTokens ?? null,
    cacheRead: counts.cacheReadInputTokens ?? null,
    cacheWrite: counts.cacheCreationInputTokens ?? null,
    cost,
    currency: cost === null ? null : "USD",
  };
}

/** `claude-opus-4-8[1m]` is the same model with a longer context window: same prices, same name. */
function modelName(model: string | undefined): string | null {
  return model?.replace(/\[[^\]]*\]$/, "") ?? null;
}

/** Schema of the fields that are read from `claude -p --output-format stream-json`. */

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

const usageByModel = z.record(
  z.string(),
  z.looseObject({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadInputTokens: tokens,
    cacheCreationInputTokens: tokens,
    costUSD: tokens,
  }),
);

const lineSchema = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  session_id: z.string().optional(),
  message: message.optional(),
  event: z
    .looseObject({
      type: z.string(),
      message: message.optional(),
      delta: z.looseObject({ text: z.string().optional(), thinking: z.string().optional() }).optional(),
      usage: usageSchema.optional(),
    })
    .optional(),
  error: z.unknown().optional(),
  error_status: z.number().nullish(),
  retry_delay_ms: z.number().nullish(),
  rate_limit_info: z.looseObject({ status: z.string().optional(), resetsAt: z.number().optional() }).optional(),
  is_error: z.boolean().optional(),
  api_error_status: z.number().nullish(),
  result: z.string().optional(),
  stop_reason: z.string().nullish(),
  modelUsage: usageByModel.optional(),
  model_usage_since_last_result: usageByModel.optional(),
  permission_denials: z
    .array(z.looseObject({ tool_name: z.string(), tool_input: z.record(z.string(), z.unknown()) }))
    .optional(),
});
type Line = z.output<typeof lineSchema>;
type Block = z.output<typeof block>;
type Message = z.output<typeof message>;
type Counts = z.output<typeof usageSchema>;
