import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import { z } from "zod";
import type { PersonMessage } from "~/nouns/comments/agent-message";
import type { TurnMessages } from "../driver";
import { jsonOf } from "../line-turn";
import { wordsOfMessages } from "../message-words";

/** With these options Claude Code reads prompts as lines, even while it works, and replays those it has taken. */
export const talkingWords = ["--input-format", "stream-json", "--replay-user-messages"];

const heardSchema = z.looseObject({
  type: z.string(),
  uuid: z.string().optional(),
  isReplay: z.boolean().optional(),
});

/**
 * Writes the prompt to Claude Code's standard input, then people's messages, which it reads between two calls. Closes
 * the input at the first result: messages sent before that are still handled, later ones wait for the next turn.
 */
export function talkToClaude(stdin: Writable, prompt: string, messages: TurnMessages | undefined) {
  const send = (uuid: string, text: string): void => {
    const content = [{ type: "text", text }];
    stdin.write(`${JSON.stringify({ type: "user", uuid, message: { role: "user", content } })}\n`);
  };
  send(randomUUID(), prompt);
  const sent = new Set<string>();
  const leave = messages?.follow((message: PersonMessage) => {
    sent.add(message.id);
    send(message.id, wordsOfMessages([message]));
  });
  return {
    take(line: string): void {
      const heard = heardSchema.safeParse(jsonOf(line)).data;
      if (heard?.isReplay && heard.uuid !== undefined && sent.has(heard.uuid)) {
        messages?.seen([heard.uuid]);
      }
      if (heard?.type === "result" && !stdin.writableEnded) stdin.end();
    },
    end(): void {
      stdin.end();
      leave?.();
    },
  };
}
