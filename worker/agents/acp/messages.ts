import { z } from "zod";

/** The parts of ACP that the worker reads. Other fields are ignored, as agents are ahead of every schema. */

const meta = z.record(z.string(), z.unknown()).nullish();
const block = z.looseObject({ type: z.string(), text: z.string().optional() });

const toolContent = z.looseObject({
  type: z.string(),
  content: block.optional(),
  path: z.string().optional(),
  oldText: z.string().nullish(),
  newText: z.string().optional(),
});

export const toolCallSchema = z.looseObject({
  toolCallId: z.string(),
  title: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  content: z.array(toolContent).nullish(),
  locations: z.array(z.looseObject({ path: z.string() })).nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: meta,
});
export type ToolCall = z.output<typeof toolCallSchema>;

export const updateSchema = z.looseObject({
  sessionId: z.string(),
  update: z.looseObject({
    sessionUpdate: z.string(),
    content: z.unknown().optional(),
    messageId: z.string().nullish(),
    _meta: meta,
  }),
});
export type Update = z.output<typeof updateSchema>["update"];

export const chunkSchema = z.looseObject({ content: block });
export const planSchema = z.looseObject({
  entries: z.array(z.looseObject({ content: z.string(), status: z.string().optional() })),
});
export const usageUpdateSchema = z.looseObject({
  cost: z.looseObject({ amount: z.number(), currency: z.string() }).nullish(),
});

export const permissionSchema = z.looseObject({
  toolCall: toolCallSchema,
  options: z.array(z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() })),
});
export type Permission = z.output<typeof permissionSchema>;

export const elicitationSchema = z.looseObject({
  message: z.string(),
  requestedSchema: z
    .looseObject({
      properties: z
        .record(
          z.string(),
          z.looseObject({
            title: z.string().nullish(),
            enum: z.array(z.string()).nullish(),
            oneOf: z.array(z.looseObject({ const: z.string(), title: z.string().nullish() })).nullish(),
          }),
        )
        .optional(),
    })
    .optional(),
});
export type Elicitation = z.output<typeof elicitationSchema>;

export const initializedSchema = z.looseObject({
  agentCapabilities: z
    .looseObject({
      loadSession: z.boolean().optional(),
      sessionCapabilities: z.looseObject({ resume: z.unknown().optional() }).nullish(),
    })
    .optional(),
});

export const sessionSchema = z.looseObject({
  sessionId: z.string().optional(),
  modes: z.looseObject({ availableModes: z.array(z.looseObject({ id: z.string() })) }).nullish(),
  models: z.looseObject({ currentModelId: z.string().optional() }).nullish(),
  configOptions: z
    .array(z.looseObject({ id: z.string(), category: z.string().nullish(), currentValue: z.unknown().optional() }))
    .nullish(),
});
export type Session = z.output<typeof sessionSchema>;

const tokens = z.number().nullish();
const quotaCounts = z.looseObject({ input_tokens: tokens, output_tokens: tokens });

export const answerSchema = z.looseObject({
  stopReason: z.string(),
  usage: z
    .looseObject({ inputTokens: tokens, outputTokens: tokens, cachedReadTokens: tokens, cachedWriteTokens: tokens })
    .nullish(),
  _meta: z
    .looseObject({
      quota: z
        .looseObject({
          token_count: quotaCounts.nullish(),
          model_usage: z.array(z.looseObject({ model: z.string(), token_count: quotaCounts })).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});
export type Answer = z.output<typeof answerSchema>;

/** Error details, which differ by agent. */
export const errorDataSchema = z.looseObject({
  message: z.string().optional(),
  details: z.string().optional(),
  errorKind: z.string().optional(),
  codexErrorInfo: z.unknown().optional(),
});
export const codexNewsSchema = z.looseObject({
  codex: z.looseObject({
    error: z.looseObject({ message: z.string(), additionalDetails: z.string().nullish() }).nullish(),
    threadStatus: z.looseObject({ type: z.string() }).nullish(),
  }),
});
