import { z } from "zod";
import { callChat } from "~/chats/connection.server";
import type { ChatConfig } from "~/chats/service";
import { type Check, failed, passed, reasonOf } from "~/server/check";
import { type ChatServiceName, chatServices, chatTitles } from "~/wire/chats/contract";

interface Asked {
  url: string;
  authorization: string;
  /** The variable whose token is asked about, and where a right one comes from. */
  variable: string;
  cure: string;
}

/** Who the bot is: no question that opens a connection, which would end that of the service that runs. */
const asked: Record<ChatServiceName, (settings: ChatConfig) => Asked[]> = {
  telegram: ({ api, token }) => [
    {
      url: `${api}/bot${token}/getMe`,
      authorization: "",
      variable: "TELEGRAM_BOT_TOKEN",
      cure: "copy the bot's token from BotFather",
    },
  ],
  slack: ({ api, token, appToken }) => [
    {
      url: `${api}/auth.test`,
      authorization: `Bearer ${token}`,
      variable: "SLACK_BOT_TOKEN",
      cure: "copy the Bot User OAuth Token from the app's page, OAuth & Permissions",
    },
    {
      url: `${api}/apps.connections.open`,
      authorization: `Bearer ${appToken}`,
      variable: "SLACK_APP_TOKEN",
      cure: "make an app-level token with connections:write on the app's page, Basic Information",
    },
  ],
  discord: ({ api, token }) => [
    {
      url: `${api}/gateway/bot`,
      authorization: `Bot ${token}`,
      variable: "DISCORD_BOT_TOKEN",
      cure: "reset the token on the application's page, Bot, and copy it",
    },
  ],
  matrix: ({ api, token }) => [
    {
      url: `${api}/_matrix/client/v3/account/whoami`,
      authorization: `Bearer ${token}`,
      variable: "MATRIX_ACCESS_TOKEN",
      cure: "sign in as the bot's account and copy its access token",
    },
  ],
};

const takenSchema = z.object({ ok: z.literal(false) });

/** Checks the token of each chat service that is configured. */
export async function checkChats(chats: Partial<Record<ChatServiceName, ChatConfig>>): Promise<Check[]> {
  const services = chatServices.filter((service) => chats[service] !== undefined);
  return Promise.all(services.map((service) => checkService(service, chats[service])));
}

async function checkService(service: ChatServiceName, settings: ChatConfig | undefined): Promise<Check> {
  const title = chatTitles[service];
  for (const { url, authorization, variable, cure } of settings ? asked[service](settings) : []) {
    try {
      const method = service === "discord" || service === "matrix" ? "GET" : "POST";
      const signal = new AbortController().signal;
      const { status, body } = await callChat({ service: title, url, method, authorization, signal });
      // Slack says 200 to a token that it does not take.
      if (status >= 400 || takenSchema.safeParse(body).success) {
        return failed(service, `${title} does not take ${variable} (${status}): ${cure}`);
      }
    } catch (error) {
      return failed(service, reasonOf(error));
    }
  }
  return passed(service, `${title} knows the bot`);
}
