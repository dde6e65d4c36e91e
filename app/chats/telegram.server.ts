import { z } from "zod";
import { inTime, pause, reasonOf } from "./connection.server";
import { maskTokens } from "./mask";
import { type ChatMessage, ChatProblem, type ChatService } from "./service";

const pollSeconds = 50;
const otherPollerSeconds = 60;

const answerSchema = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().default(""),
  parameters: z.object({ retry_after: z.int().optional() }).optional(),
});
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

/** An answer of Telegram that is not ok. */
class Refusal extends ChatProblem {
  constructor(
    readonly status: number,
    message: string,
    retryAfterSeconds?: number,
  ) {
    super(message, { retryAfterSeconds, isFinal: status === 403 || status === 400 });
  }
}

/** Telegram's Bot API by long polling: an update counts as taken when a higher offset is asked for, which is after it is stored here. */
export const telegram: ChatService = {
  name: "telegram",
  async open({ api, token }, on) {
    const closing = new AbortController();
    const { signal } = closing;

    /** The token is in the path, so no error of `fetch` leaves here as it is. */
    const call = async <T>(method: string, body: object, schema: z.ZodType<T>, seconds = 10): Promise<T> => {
      const headers = { "Content-Type": "application/json" };
      const request = { method: "POST", headers, body: JSON.stringify(body), redirect: "error" as const };
      const { response, said: heard } = await inTime(seconds * 1000, signal, async (within) => {
        const response = await fetch(`${api}/bot${token}/${method}`, { ...request, signal: within });
        const said: unknown = await response.json().catch(() => null);
        return { response, said };
      }).catch(() => Promise.reject(new ChatProblem("Telegram cannot be reached.")));
      const read = answerSchema.safeParse(heard);
      if (!read.success) throw new ChatProblem(`Telegram answered ${response.status} without JSON.`);
      const { ok, result, description, parameters } = read.data;
      if (ok) return schema.parse(result);
      const said = maskTokens(description, [token]).slice(0, 300);
      throw new Refusal(response.status, `Telegram says: ${said}`, parameters?.retry_after);
    };

    /** Words about what is dealt with: a connection that closed under them gets a second try, a refusal none. */
    const say = async (method: string, body: object) => {
      const send = () => call(method, body, z.unknown());
      await send().catch((error: unknown) => (error instanceof Refusal ? undefined : send().catch(() => undefined)));
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
      const updates = await call("getUpdates", given, z.array(numberedSchema), pollSeconds + 10);
      for (const update of updates) {
        // One of a kind that is not known must not hold up those after it.
        const known = updateSchema.safeParse(update).data;
        if (known) await (known.callback_query ? press(known) : read(known));
        offset = update.update_id + 1;
      }
    };

    const begin = async () => {
      const { username } = await call("getMe", {}, botSchema);
      botName = username;
      await call("deleteWebhook", {}, z.unknown());
      on.state({ is: "on" });
    };

    const run = async () => {
      let isBegun = false;
      while (!signal.aborted) {
        try {
          if (!isBegun) await begin();
          isBegun = true;
          await poll();
        } catch (error) {
          if (signal.aborted) return;
          isBegun = false;
          const status = error instanceof Refusal ? error.status : 0;
          if (status === 401 || status === 404) {
            on.state({
              is: "refused",
              reason: "Telegram does not know this token: copy it from BotFather into TELEGRAM_BOT_TOKEN.",
            });
            return;
          }
          if (status === 409) {
            on.state({
              is: "refused",
              reason: "Another program reads this bot's messages: stop it, or make a separate bot for Backloom.",
            });
          } else on.state({ is: "connecting", reason: reasonOf(error) });
          const asked = error instanceof ChatProblem ? error.options.retryAfterSeconds : undefined;
          await pause(status === 409 ? otherPollerSeconds : (asked ?? 2), signal);
        }
      }
    };

    const opened = {
      get botName() {
        return botName;
      },
      async send(room: string, message: ChatMessage) {
        return refOf(
          await call("sendMessage", { chat_id: room, protect_content: true, ...written(message) }, sentSchema),
        );
      },
      async edit(ref: string, message: ChatMessage) {
        const [chat_id, message_id] = ref.split(":");
        const place = { chat_id, message_id: Number(message_id) };
        await call("editMessageText", { ...place, ...written(message) }, z.unknown()).catch((error: unknown) => {
          // Unchanged, or deleted by the person.
          if (!(error instanceof Refusal && error.status === 400)) throw error;
        });
      },
      async close() {
        closing.abort();
        await running;
      },
    };
    on.state({ is: "connecting" });
    const running = run();
    return opened;
  },
};

const refOf = ({ chat, message_id }: { chat: { id: number }; message_id: number }) => `${chat.id}:${message_id}`;

const accountOf = ({ id, first_name, username }: z.infer<typeof fromSchema>) => ({
  id: String(id),
  name: username === undefined ? first_name : `@${username}`,
});

/** No parse mode: a text is what it is. */
const written = ({ text, link, options, allowsText }: ChatMessage) => ({
  text: [text, ...(allowsText ? ["Reply to this message to answer in your own words."] : []), link].join("\n\n"),
  link_preview_options: { is_disabled: true },
  reply_markup: { inline_keyboard: options.map(({ id, label }) => [{ text: label, callback_data: id }]) },
});
