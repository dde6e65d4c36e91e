import { z } from "zod";
import { ChatRefusal, callChat, keepConnected, labelOf, textOf, unlessFinal } from "./connection.server";
import { maskTokens } from "./mask";
import { type ChatMessage, ChatProblem, type ChatService } from "./service";

const textLimit = 4096;
const howToReply = "\n\nReply to this message to answer in your own words.";
const pollSeconds = 50;
const otherPollerSeconds = 60;

const answerSchema = z
  .object({ ok: z.boolean(), result: z.unknown().optional(), description: z.string().default("") })
  .catch({ ok: false, description: "no JSON" });
const botSchema = z.object({ username: z.string() });
const sentSchema = z.object({ chat: z.object({ id: z.int() }), message_id: z.int() });
const fromSchema = z.object({ id: z.int(), first_name: z.string().default(""), username: z.string().optional() });
const placeSchema = z.object({
  chat: z.object({ id: z.int(), type: z.string().default("private") }),
  message_id: z.int(),
});
const updateSchema = z.object({
  update_id: z.int(),
  message: placeSchema
    .extend({ from: fromSchema.optional(), text: z.string().optional(), reply_to_message: placeSchema.optional() })
    .optional(),
  callback_query: z
    .object({ id: z.string(), from: fromSchema, message: placeSchema.optional(), data: z.string().default("") })
    .optional(),
});
const numberedSchema = z.looseObject({ update_id: z.int() });
type Update = z.infer<typeof updateSchema>;

/** Telegram's Bot API by long polling: an update counts as taken when a higher offset is asked for, which is after it is stored here. */
export const telegram: ChatService = {
  name: "telegram",
  async open({ api, token }, on) {
    const life = new AbortController();
    /** The token is in the path. */
    const call = async <T>(method: string, body: object, schema: z.ZodType<T>, waitsMilliseconds = 0): Promise<T> => {
      const request = { service: "Telegram", url: `${api}/bot${token}/${method}`, authorization: "", body };
      const said = await callChat({ ...request, waitsMilliseconds, signal: life.signal });
      const { ok, result, description } = answerSchema.parse(said.body);
      if (ok) return schema.parse(result);
      throw problemOf(said.status, maskTokens(description, [token]).slice(0, 300));
    };
    /** Words about what is dealt with: a connection that closed under them gets a second try, a refusal and a pause none. */
    const say = async (method: string, body: object) => {
      const send = () => call(method, body, z.unknown());
      const isLost = (error: unknown) => error instanceof ChatProblem && Object.keys(error.options).length === 0;
      await send().catch((error: unknown) => (isLost(error) ? send().catch(() => undefined) : undefined));
    };

    const press = async ({ callback_query: query, update_id }: Update) => {
      if (query?.message?.chat.type !== "private") return;
      const from = accountOf(query.from);
      const event = { from, ref: refOf(query.message), option: query.data, eventId: String(update_id) };
      const { text } = await on.press(event);
      const popup = { callback_query_id: query.id, text: text?.slice(0, 200) ?? "" };
      await say("answerCallbackQuery", popup);
    };

    const read = async ({ message, update_id }: Update) => {
      if (!message?.from || message.text === undefined || message.chat.type !== "private") return;
      const room = String(message.chat.id);
      const replyTo = message.reply_to_message && refOf(message.reply_to_message);
      const event = { from: accountOf(message.from), room, replyTo, text: message.text, eventId: String(update_id) };
      const { text } = await on.text(event);
      if (text === null) return;
      await say("sendMessage", { chat_id: room, text, protect_content: true });
    };

    let botName: string | undefined;
    let offset = 0;
    const poll = async () => {
      const given = { offset, timeout: pollSeconds, limit: 100, allowed_updates: ["message", "callback_query"] };
      const updates = await call("getUpdates", given, z.array(numberedSchema), pollSeconds * 1000);
      for (const update of updates) {
        // One of a kind that is not known must not hold up those after it.
        const known = updateSchema.safeParse(update).data;
        if (known) await (known.callback_query ? press(known) : read(known));
        offset = update.update_id + 1;
      }
    };

    const connect = async (isOn: () => void) => {
      botName = (await call("getMe", {}, botSchema)).username;
      await call("deleteWebhook", {}, z.unknown());
      isOn();
      while (!life.signal.aborted) await poll();
    };

    return {
      get botName() {
        return botName;
      },
      send: async (room, message) =>
        refOf(await call("sendMessage", { chat_id: room, protect_content: true, ...written(message) }, sentSchema)),
      async edit(ref, message) {
        const [chat_id, id] = ref.split(":");
        const edited = { chat_id, message_id: Number(id), ...written(message) };
        // Unchanged, deleted by the person, or they blocked the bot.
        await call("editMessageText", edited, z.unknown()).catch(unlessFinal);
      },
      close: keepConnected(life, connect, on.state),
    };
  },
};

function problemOf(status: number, said: string): ChatProblem {
  if (status === 401 || status === 404)
    return new ChatRefusal(`Telegram does not take TELEGRAM_BOT_TOKEN (${status}): copy it from BotFather.`);
  if (status === 409)
    return new ChatRefusal("Another program reads this bot's messages: stop it, or make a separate bot for Backloom.", {
      retryAfterSeconds: otherPollerSeconds,
    });
  return new ChatProblem(`Telegram says: ${said}`, { isFinal: status === 403 || status === 400 });
}

const refOf = ({ chat, message_id }: { chat: { id: number }; message_id: number }) => `${chat.id}:${message_id}`;

const accountOf = ({ id, first_name, username }: z.infer<typeof fromSchema>) => ({
  id: String(id),
  name: username === undefined ? first_name : `@${username}`,
});

/** No parse mode: a text is what it is. */
const written = (message: ChatMessage) => ({
  text: textOf({ ...message, text: `${message.text}${message.allowsText ? howToReply : ""}` }, textLimit),
  link_preview_options: { is_disabled: true },
  reply_markup: {
    inline_keyboard: message.options.map(({ id, label }) => [{ text: labelOf(label), callback_data: id }]),
  },
});
