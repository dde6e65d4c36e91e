import type { Dialect } from "./open-model";
import { sendEvents, sendJson } from "./open-model";
import type { Act } from "./script";

/** A service that speaks like OpenAI's chat completions, as opencode asks it. */
export const chatCompletions: Dialect = {
  isWork: (path, body) => path.includes("/chat/completions") && Array.isArray(body.tools),
  answerAside: ({ number, body, response }) => {
    const chunk = chunkOf(body, number, { role: "assistant", content: "Work" }, "stop");
    sendEvents(response, [{ data: chunk }, { data: "[DONE]" }]);
  },
  answer: ({ step, number, tokens, body, response }) => {
    const prompt_tokens = tokens.input + tokens.cacheRead;
    const usage = {
      prompt_tokens,
      prompt_tokens_details: { cached_tokens: tokens.cacheRead },
      completion_tokens: tokens.output,
      total_tokens: prompt_tokens + tokens.output,
    };
    const finish = "say" in step ? "stop" : "tool_calls";
    sendEvents(response, [
      { data: chunkOf(body, number, { role: "assistant", ...deltaOf(step, number) }, null) },
      { data: chunkOf(body, number, {}, finish) },
      { data: { ...chunkOf(body, number, {}, null), choices: [], usage } },
      { data: "[DONE]" },
    ]);
  },
  fail: (response, { status, type, message, headers }) =>
    sendJson(response, status, { error: { type, code: type, message } }, headers),
};

function chunkOf(body: Record<string, unknown>, number: number, delta: unknown, finish_reason: string | null) {
  return {
    id: `chatcmpl-${number}`,
    object: "chat.completion.chunk",
    created: 1,
    model: body.model,
    choices: [{ index: 0, delta, finish_reason }],
  };
}

function deltaOf(step: Act, number: number) {
  if ("say" in step) return { content: step.say };
  const [name, given] =
    "run" in step
      ? ["bash", { command: step.run, description: "A step of the work" }]
      : ["write", { filePath: step.write.path, content: step.write.text }];
  const call = { name, arguments: JSON.stringify(given) };
  return { tool_calls: [{ index: 0, id: `call_${number}`, type: "function", function: call }] };
}
