import { z } from "zod";

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

export const lineSchema = z.looseObject({
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
export type Line = z.output<typeof lineSchema>;
export type Block = z.output<typeof block>;
export type Message = z.output<typeof message>;
export type Counts = z.output<typeof usageSchema>;
