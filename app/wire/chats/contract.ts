import { z } from "zod";
import { idSchema, text } from "../text";

export const chatServices = ["telegram", "slack", "discord", "matrix"] as const;
export type ChatServiceName = (typeof chatServices)[number];
export const chatServiceSchema = z.enum(chatServices);
export const chatTitles = { telegram: "Telegram", slack: "Slack", discord: "Discord", matrix: "Matrix" } as const;

export const answeredViaSchema = z.enum(["web", ...chatServices]);

const quietTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "Must be a time of day such as 22:00.")
  .nullable();

const preferences = {
  /** Null is all. */
  products: z.array(idSchema).max(200).nullable(),
  quiet_from: quietTime,
  quiet_to: quietTime,
  time_zone: text(64),
  /** Collects what waits, and sends it at most every 15 minutes. */
  bundle: z.boolean(),
  /** Whether messages say what a question is about, or only that one waits. */
  titles: z.boolean(),
};

/** An account of a chat service, and what its person hears there. Without an account, its code was not typed yet. */
export const chatSchema = z.object({
  id: z.string(),
  service: chatServiceSchema,
  name: z.string().nullable(),
  account: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  confirmed: z.boolean(),
  since: z.string(),
  ...preferences,
  last_error: z.string().nullable(),
});
export type Chat = z.infer<typeof chatSchema>;

/** Answer of the operation. `bots` has the bots that a link can open, `unreachable` the services that are not connected now. */
export const ownChatsSchema = z.object({
  chats: z.array(chatSchema),
  bots: z.record(z.string(), z.string()),
  unreachable: z.array(chatServiceSchema),
});

export const chatListSchema = z.object({ available: z.array(chatServiceSchema), chats: z.array(chatSchema) });

export const createChatBody = z.object({ service: chatServiceSchema, time_zone: text(64).optional() });
export const createChatInput = createChatBody.extend({ is_set_up: z.boolean() });
export const createdChatSchema = z.object({ id: z.string(), code: z.string(), expires_at: z.string() });
export const chatIdInput = z.object({ chat_id: idSchema });
export const updateChatBody = z.object(preferences).partial();
export const updateChatInput = updateChatBody.extend({ chat_id: idSchema });
export const deletedChatSchema = z.object({ id: z.string(), deleted: z.boolean() });

export const chatConnectionsSchema = z.object({
  connections: z.array(
    z.object({
      service: chatServiceSchema,
      state: z.string(),
      reason: z.string().nullable(),
      bot_name: z.string().nullable(),
      last_error: z.string().nullable(),
      last_error_at: z.string().nullable(),
      paired: z.int(),
    }),
  ),
});

/** Calls of the process that holds the connection. */
export const holdChatInput = z.object({
  service: chatServiceSchema,
  holder: z.string(),
  state: z.enum(["connecting", "on", "off", "refused"]),
  reason: z.string().nullish(),
  bot_name: z.string().nullish(),
  error: z.string().nullish(),
});

export const hearChatInput = z.object({
  service: chatServiceSchema,
  event_id: z.string(),
  account_id: z.string(),
  account_name: z.string(),
  room: z.string().optional(),
  ref: z.string().optional(),
  option: z.string().optional(),
  text: z.string().optional(),
});
export const chatReplySchema = z.object({
  text: z.string().nullish().default(null),
  is_known: z.boolean().default(false),
});

export const takeChatWorkInput = z.object({
  service: chatServiceSchema,
  sends: z.int().optional(),
  edits: z.int().optional(),
});

export const noteChatWorkInput = z.object({
  ids: z.array(z.string()),
  ref: z.string().optional(),
  error: z.string().optional(),
  retry_seconds: z.int().optional(),
  give_up: z.boolean().optional(),
});
