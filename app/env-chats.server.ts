import { z } from "zod";
import { webAddress } from "./env-values.server";
import { loopbackNames } from "./own-origins.server";
import type { ChatServiceName } from "./wire/chats/contract";

/** How to reach a chat service as the operator's bot. */
export interface ChatSettings {
  /** All before the method; for Matrix the homeserver. */
  api: string;
  token: string;
  appToken?: string;
}

const api = webAddress.refine(
  (value) => value.startsWith("https:") || loopbackNames.includes(new URL(value).hostname),
  "must be an https address: a token goes there",
);
const token = (form: RegExp, must: string) => z.string().trim().regex(form, must).optional();

export const chatVariables = {
  TELEGRAM_BOT_TOKEN: token(/^\d+:[\w-]{20,}$/, "must be the token that BotFather gives, like 123456:ABC…"),
  TELEGRAM_API: api.default("https://api.telegram.org"),
  SLACK_APP_TOKEN: token(/^xapp-\S+$/, "must be an app-level token, which begins with xapp-"),
  SLACK_BOT_TOKEN: token(/^xoxb-\S+$/, "must be a bot token, which begins with xoxb-"),
  SLACK_API: api.default("https://slack.com/api"),
  DISCORD_BOT_TOKEN: token(/^\S{20,}$/, "must be the token of the application's bot"),
  DISCORD_API: api.default("https://discord.com/api/v10"),
  MATRIX_HOMESERVER: api.optional(),
  MATRIX_ACCESS_TOKEN: token(/^\S+$/, "must be an access token of the bot's account"),
};

type ChatVariables = z.infer<z.ZodObject<typeof chatVariables>>;

export function missingForChats(values: ChatVariables): string[] {
  const problems: string[] = [];
  if (!values.SLACK_APP_TOKEN !== !values.SLACK_BOT_TOKEN) {
    problems.push("SLACK_APP_TOKEN and SLACK_BOT_TOKEN must be set together or not at all");
  }
  if (!values.MATRIX_HOMESERVER !== !values.MATRIX_ACCESS_TOKEN) {
    problems.push("MATRIX_HOMESERVER and MATRIX_ACCESS_TOKEN must be set together or not at all");
  }
  return problems;
}

export function toChats(values: ChatVariables): Partial<Record<ChatServiceName, ChatSettings>> {
  const { TELEGRAM_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_BOT_TOKEN, DISCORD_BOT_TOKEN } = values;
  const { MATRIX_HOMESERVER, MATRIX_ACCESS_TOKEN } = values;
  return {
    ...(TELEGRAM_BOT_TOKEN && { telegram: { api: values.TELEGRAM_API, token: TELEGRAM_BOT_TOKEN } }),
    ...(SLACK_APP_TOKEN &&
      SLACK_BOT_TOKEN && { slack: { api: values.SLACK_API, token: SLACK_BOT_TOKEN, appToken: SLACK_APP_TOKEN } }),
    ...(DISCORD_BOT_TOKEN && { discord: { api: values.DISCORD_API, token: DISCORD_BOT_TOKEN } }),
    ...(MATRIX_HOMESERVER && MATRIX_ACCESS_TOKEN && { matrix: { api: MATRIX_HOMESERVER, token: MATRIX_ACCESS_TOKEN } }),
  };
}
