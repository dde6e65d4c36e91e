import type { ChatServiceName } from "~/wire/chats/contract";
import { discord } from "./discord.server";
import { matrix } from "./matrix.server";
import type { ChatService } from "./service";
import { slack } from "./slack.server";
import { telegram } from "./telegram.server";

export const catalog: Record<ChatServiceName, ChatService> = { telegram, slack, discord, matrix };

/** How often to look for what is to be sent, and how much then, at most one message a room: below what each service takes. */
export const paces: Record<ChatServiceName, { lookMilliseconds: number; sends: number; edits: number }> = {
  // 30 messages a second.
  telegram: { lookMilliseconds: 1000, sends: 15, edits: 10 },
  // 50 edits and some hundred messages a minute.
  slack: { lookMilliseconds: 1250, sends: 5, edits: 1 },
  // 50 requests a second.
  discord: { lookMilliseconds: 1000, sends: 15, edits: 10 },
  // Each homeserver has its own limit, and asks to wait.
  matrix: { lookMilliseconds: 1000, sends: 15, edits: 10 },
};
