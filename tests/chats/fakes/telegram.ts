import { z } from "zod";
import { type FakeAnswer, type FakeRequest, openFakeServer } from "./server";
import type { FakeMessage, FakePerson, FakeService } from "./service";

const marked = z.object({
  inline_keyboard: z.array(z.array(z.object({ text: z.string().min(1), callback_data: z.string() }))).optional(),
});
const poll = z.object({ offset: z.number().default(0), timeout: z.number().default(0) });
const sending = z.object({ chat_id: z.coerce.string(), text: z.string().default(""), reply_markup: marked.optional() });
const editing = sending.extend({ message_id: z.number() });
const answering = z.object({ callback_query_id: z.string(), text: z.string().max(200).default("") });

/** The Bot API as documented: updates are kept until a higher offset is asked for, and one poller has them. */
export async function openTelegram(token = "123456:fake-token-of-telegram-0123456789abc"): Promise<FakeService> {
  const queries = new Set<string>();
  let updates: { update_id: number }[] = [];
  let last: { update_id: number } | undefined;
  let poller: { end(description?: string): void } | undefined;
  let lastId = 100;

  const refusal = (status: number, description: string, parameters?: object): FakeAnswer => ({
    status,
    json: { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) },
  });
  const bad = (description: string) => refusal(400, `Bad Request: ${description}`);
  const fine = (result: unknown): FakeAnswer => ({ json: { ok: true, result } });

  const methods: Record<string, (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>> = {
    getMe: () => fine({ id: 123456, is_bot: true, first_name: "Backloom", username: "backloom_bot" }),
    deleteWebhook: () => fine(true),
    async getUpdates({ body, gone }) {
      const { offset, timeout } = poll.parse(body);
      poller?.end("Conflict: terminated by other getUpdates request; make sure that only one bot instance is running");
      updates = updates.filter(({ update_id }) => update_id >= offset);
      if (updates.length > 0 || timeout === 0) return fine(updates.slice(0, 100));
      let own: typeof poller;
      const conflict = await new Promise<string | undefined>((resolve) => {
        own = poller = { end: resolve };
        const timer = setTimeout(resolve, timeout * 1000);
        gone.then(() => resolve(undefined)).finally(() => clearTimeout(timer));
      });
      if (poller === own) poller = undefined;
      return conflict ? refusal(409, conflict) : fine(updates.slice(0, 100));
    },
    sendMessage({ body }) {
      const { chat_id, text, reply_markup } = sending.parse(body);
      const problem = Number(chat_id) < 100 ? "chat not found" : problemOf(text, reply_markup);
      if (problem) return bad(problem);
      if (!reply_markup) answers.push(text);
      const message = { room: chat_id, id: String(++lastId), text, options: optionsOf(reply_markup) };
      messages.push(message);
      return fine(shown(message));
    },
    editMessageText({ body }) {
      const { chat_id, message_id, text, reply_markup } = editing.parse(body);
      const message = messages.find(({ room, id }) => room === chat_id && id === String(message_id));
      if (!message) return bad("message to edit not found");
      const problem = problemOf(text, reply_markup);
      if (problem) return bad(problem);
      const options = optionsOf(reply_markup);
      if (message.text === text && JSON.stringify(message.options) === JSON.stringify(options)) {
        return bad("message is not modified: specified new message content and reply markup are exactly the same");
      }
      Object.assign(message, { text, options });
      return fine(shown(message));
    },
    answerCallbackQuery({ body }) {
      const answer = answering.safeParse(body);
      if (!answer.success) return bad("MESSAGE_TOO_LONG");
      if (!queries.delete(answer.data.callback_query_id)) return bad("query is too old and response timeout expired");
      answers.push(answer.data.text);
      return fine(true);
    },
  };
  const isDelayed = new Set(["sendMessage", "editMessageText"]);

  const server = await openFakeServer((request) => {
    const [, given, method = ""] = /^bot([^/]*)\/(\w+)$/.exec(request.path) ?? [];
    if (given !== token || server.isRevoked()) return refusal(401, "Unauthorized");
    const room = String(request.body.chat_id);
    const retry_after = isDelayed.has(method)
      ? server.pauseFor([
          [`messages in ${room}`, 5, 5000],
          ["messages", 30, 1000],
        ])
      : 0;
    if (retry_after > 0) {
      return refusal(429, `Too Many Requests: retry after ${retry_after}`, { retry_after });
    }
    return methods[method]?.(request) ?? refusal(404, "Not Found");
  });
  const { messages, answers } = server.shared;

  const deliver = (content: object) => {
    last = { update_id: ++lastId, ...content };
    updates.push(last);
    poller?.end();
  };
  const fromOf = ({ id, name }: FakePerson) => ({ id: Number(id), is_bot: false, first_name: name });

  return {
    ...server.shared,
    config: { api: server.origin, token },
    roomOf: ({ id }) => id,
    press(person, message, option) {
      const id = `query-${++lastId}`;
      queries.add(id);
      deliver({ callback_query: { id, from: fromOf(person), message: shown(message), data: option } });
    },
    write(person, text, replyTo) {
      const chat = { id: Number(person.id), type: "private" };
      const reply = replyTo ? { reply_to_message: shown(replyTo) } : {};
      deliver({ message: { message_id: ++lastId, date: 0, from: fromOf(person), chat, text, ...reply } });
    },
    repeat() {
      if (last) updates.push(last);
      poller?.end();
    },
    connections: () => (poller ? 1 : 0),
  };
}

function problemOf(text: string, markup: z.infer<typeof marked> | undefined): string | undefined {
  if (text.trim() === "") return "message text is empty";
  if (text.length > 4096) return "message is too long";
  const buttons = markup?.inline_keyboard?.flat() ?? [];
  return buttons.some(({ callback_data: data }) => data === "" || Buffer.byteLength(data) > 64)
    ? "BUTTON_DATA_INVALID"
    : undefined;
}

const optionsOf = (markup: z.infer<typeof marked> | undefined) =>
  (markup?.inline_keyboard?.flat() ?? []).map(({ text, callback_data }) => ({ id: callback_data, label: text }));

const shown = ({ room, id, text }: FakeMessage) => {
  return { message_id: Number(id), date: 0, chat: { id: Number(room), type: "private" }, text };
};
