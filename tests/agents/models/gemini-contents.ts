import type { Dialect } from "./open-model";
import { sendEvents, sendJson } from "./open-model";
import type { Act } from "./script";

/** The Gemini service, as Gemini CLI asks it. */
export const geminiContents: Dialect = {
  isWork: (path, body) => path.includes(":streamGenerateContent") && Array.isArray(body.tools),
  answerAside: ({ path, response }) => {
    const answer = {
      candidates: [{ content: { role: "model", parts: [{ text: "{}" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    };
    if (path.includes(":countTokens")) return sendJson(response, 200, { totalTokens: 10 });
    if (path.includes(":stream")) return sendEvents(response, [{ data: answer }]);
    sendJson(response, 200, answer);
  },
  answer: ({ step, tokens, response }) => {
    const promptTokenCount = tokens.input + tokens.cacheRead;
    sendEvents(response, [
      {
        data: {
          candidates: [{ index: 0, content: { role: "model", parts: [partOf(step)] }, finishReason: "STOP" }],
          usageMetadata: {
            promptTokenCount,
            cachedContentTokenCount: tokens.cacheRead,
            candidatesTokenCount: tokens.output,
            totalTokenCount: promptTokenCount + tokens.output,
          },
        },
      },
    ]);
  },
  fail: (response, { status, type, message, headers }) =>
    sendJson(response, status, { error: { code: status, status: type, message } }, headers),
};

function partOf(step: Act) {
  if ("say" in step) return { text: step.say };
  if ("run" in step) {
    return { functionCall: { name: "run_shell_command", args: { command: step.run } } };
  }
  const { path, text } = step.write;
  return { functionCall: { name: "write_file", args: { file_path: path, content: text } } };
}
