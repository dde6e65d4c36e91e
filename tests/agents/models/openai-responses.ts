import type { Dialect } from "./open-model";
import { sendEvents, sendJson } from "./open-model";
import type { Act } from "./script";

/** The Responses service of OpenAI, as Codex asks it. */
export const openaiResponses: Dialect = {
  isWork: (path, body) => path.includes("/responses") && Array.isArray(body.tools),
  answerAside: ({ response }) => sendJson(response, 200, { object: "list", data: [], models: [] }),
  answer: ({ step, number, tokens, body, response }) => {
    const id = `resp_${number}`;
    const item = itemOf(step, number, namesOf(body));
    const input_tokens = tokens.input + tokens.cacheRead + tokens.cacheWrite;
    sendEvents(
      response,
      [
        { type: "response.created", response: { id } },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.output_item.done", output_index: 0, item },
        {
          type: "response.completed",
          response: {
            id,
            usage: {
              input_tokens,
              input_tokens_details: { cached_tokens: tokens.cacheRead },
              output_tokens: tokens.output,
              output_tokens_details: { reasoning_tokens: 0 },
              total_tokens: input_tokens + tokens.output,
            },
          },
        },
      ].map((data) => ({ event: data.type, data })),
    );
  },
  fail: (response, { status, type, message, headers }) =>
    sendJson(response, status, { error: { type, code: type, message } }, headers),
};

function namesOf(body: Record<string, unknown>): string[] {
  const tools = body.tools as { name?: string; type?: string }[];
  return tools.map(({ name, type }) => name ?? type ?? "");
}

function itemOf(step: Act, number: number, names: readonly string[]) {
  if ("say" in step) {
    return {
      type: "message",
      id: `msg_${number}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: step.say, annotations: [] }],
    };
  }
  const command = "run" in step ? step.run : writing(step.write.path, step.write.text);
  const call = (name: string, given: unknown) => ({
    type: "function_call",
    id: `fc_${number}`,
    call_id: `call_${number}`,
    name,
    arguments: JSON.stringify(given),
  });
  if (names.includes("exec_command")) return call("exec_command", { cmd: command });
  if (names.includes("shell_command")) return call("shell_command", { command });
  return call("shell", { command: ["bash", "-lc", command] });
}

function writing(path: string, text: string): string {
  return `apply_patch <<'PATCH'\n*** Begin Patch\n*** Add File: ${path}\n${text
    .split("\n")
    .map((line) => `+${line}`)
    .join("\n")}\n*** End Patch\nPATCH`;
}
