import type { ChatServiceName } from "~/wire/chats/contract";
import { discord } from "./discord.server";
import { matrix } from "./matrix.server";
import type { ChatService } from "./service";
import { slack } from "./slack.server";
import { telegram } from "./telegram.server";

/** The adapters. */
export const catalog: Record<ChatServiceName, ChatService> = { telegram, slack, discord, matrix };
