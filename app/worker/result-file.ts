import { readFile } from "node:fs/promises";
import { z } from "zod";
import { failureClasses, verifyResults } from "~/contract/agent-job";

const tokens = z.int().min(0).optional();

const resultSchema = z.object({
  summary: z.string().optional(),
  verify_result: z.enum(verifyResults).optional(),
  failure_class: z.enum(failureClasses).optional(),
  failure_reason: z.string().optional(),
  resets_at: z.iso.datetime({ offset: true }).optional(),
  model_id: z.string().optional(),
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  question: z
    .object({
      question: z.string().min(1),
      options: z
        .array(
          z.union([
            z.string(),
            z.object({ label: z.string(), description: z.string().optional() }),
          ]),
        )
        .optional(),
      recommended_option: z.int().min(0).optional(),
    })
    .optional(),
});

/** What a command may tell beside its exit code. */
export type CommandResult = z.output<typeof resultSchema>;

/** Reads the result file; one that is missing says nothing, one that is broken is a fault of the command. */
export async function readResult(file: string): Promise<CommandResult> {
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return {};
  try {
    return resultSchema.parse(JSON.parse(text));
  } catch {
    return { failure_class: "agent_error", failure_reason: "The result file is not as documented" };
  }
}

/** The token counts and the model, as the service takes them. */
export function usageOf(result: CommandResult): Record<string, unknown> {
  const { model_id, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = result;
  return { model_id, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens };
}
