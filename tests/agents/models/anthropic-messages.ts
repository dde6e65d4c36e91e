import type { Dialect } from "./open-model";
import { sendEvents, sendJson } from "./open-model";
import type { Act } from "./script";

/** The Messages service of Anthropic, as Claude Code asks it. */
export const anthropicMessages: Dialect = {
  isWork: (path, body) => /\/v1\/messages(\?|$)/.test(path) && Array.isArray(body.tools) && body.tools.length > 3,
  answerAside: ({ path, response }) => {
    if (path.includes("count_tokens")) return sendJson(response, 200, { input_tokens: 10 });
    sendJson(response, 200, {
      id: "msg_aside",
      type: "message",
      role: "assistant",
      model: "claude-stub",
      content: [{ type: "text", text: '{"title":"Work","isNewTopic":false}' }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    });
  },
  answer: ({ step, number, tokens, body, response }) => {
    const usage = {
      input_tokens: tokens.input,
      cache_read_input_tokens: tokens.cacheRead,
      cache_creation_input_tokens: tokens.cacheWrite,
    };
    const isText = "say" in step;
    sendEvents(
      response,
      [
        {
          type: "message_start",
          message: {
            id: `msg_${number}`,
            type: "message",
            role: "assistant",
            model: body.model,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { ...usage, output_tokens: 0 },
          },
        },
        ...blockOf(step, number),
        {
          type: "message_delta",
          delta: { stop_reason: isText ? "end_turn" : "tool_use", stop_sequence: null },
          usage: { output_tokens: tokens.output },
        },
        { type: "message_stop" },
      ].map((data) => ({ event: data.type, data })),
    );
  },
  fail: (response, { status, type, message, headers }) =>
    sendJson(response, status, { type: "error", error: { type, message } }, headers),
};

function blockOf(step: Act, number: number) {
  const block = (content: unknown, delta: unknown) => [
    { type: "content_block_start", index: 0, content_block: content },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
  ];
  if ("say" in step) {
    return block({ type: "text", text: "" }, { type: "text_delta", text: step.say });
  }
  const [name, input] =
    "run" in step
      ? ["Bash", { command: step.run, description: "A step of the work" }]
      : ["Write", { file_path: step.write.path, content: step.write.text }];
  return block(
    { type: "tool_use", id: `toolu_${number}`, name, input: {} },
    { type: "input_json_delta", partial_json: JSON.stringify(input) },
  );
}
