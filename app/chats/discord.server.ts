import { z } from "zod";
import { ChatRefusal, callChat, keepConnected, labelOf, openSocket, textOf } from "./connection.server";
import { type ChatMessage, ChatProblem, type ChatService } from "./service";

const textLimit = 2000;
const buttonsInRow = 5;
/** Of the three seconds that an interaction may wait for its first answer. */
const firstAnswerMilliseconds = 2000;

const directMessages = 1 << 12;
const suppressEmbeds = 4;
const ephemeral = 64;

const person = z.object({ id: z.string(), username: z.string() });
const gatewayFrame = z.object({
  op: z.number(),
  d: z.unknown().optional(),
  s: z.number().nullish(),
  t: z.string().nullish(),
});
const gateway = z.object({
  url: z.string(),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }),
});
const hello = z.object({ heartbeat_interval: z.number().positive() });
const readySession = z.object({
  session_id: z.string(),
  resume_gateway_url: z.string(),
  application: z.object({ id: z.string() }),
});

const interaction = z.object({
  id: z.string(),
  token: z.string(),
  type: z.literal(3),
  user: person.optional(),
  member: z.object({ user: person }).optional(),
  data: z.object({ custom_id: z.string() }),
  message: z.object({ id: z.string(), channel_id: z.string() }),
});

/** A person's words in the private room with the bot. */
const written = z.object({
  id: z.string(),
  channel_id: z.string(),
  guild_id: z.undefined().optional(),
  author: person.extend({ bot: z.literal(false).optional() }),
  content: z.string().min(1),
  message_reference: z.object({ message_id: z.string() }).optional(),
});

const sentSchema = z.object({ id: z.string(), channel_id: z.string() });
const problem = z.object({ message: z.string().default(""), code: z.number().default(0) });
const unknownMessage = 10_008;

/** Codes of the gateway's end that are final: the token, shards, its version, intents. */
const isRefused = (code: number) => code === 4004 || (code >= 4010 && code <= 4014);
/** After these a session cannot go on. */
const lostSessions = [4003, 4007, 4009];

/** Discord by its gateway: events come through a socket that this side opens, and a session continues after a lost one. */
export const discord: ChatService = {
  name: "discord",
  async open({ api, token }, on) {
    const life = new AbortController();
    const call = (method: "GET" | "POST" | "PATCH", path: string, body?: object) => {
      const request = { service: "Discord", url: `${api}${path}`, authorization: `Bot ${token}` };
      return callChat({ ...request, method, body, signal: life.signal });
    };
    const post = async (room: string, content: object) => {
      const { status, body } = await call("POST", `/channels/${room}/messages`, content);
      if (status >= 300) throw problemOf(status, body);
      return refOf(sentSchema.parse(body));
    };

    let session: z.infer<typeof readySession> | undefined;
    let sequence: number | null = null;
    const connect = async (isOn: () => void) => {
      const address = session?.resume_gateway_url ?? gatewayOf(await call("GET", "/gateway/bot"));
      let beat: NodeJS.Timeout | undefined;
      let isAnswered = true;
      const socket = openSocket(`${address.replace(/\/$/, "")}/?v=10&encoding=json`, life.signal, async (said) => {
        const { op, d, s, t } = gatewayFrame.parse(said);
        if (op === 10) {
          const interval = hello.parse(d).heartbeat_interval;
          // The first beat comes early: all bots of an outage would beat at once.
          beat = setTimeout(function next() {
            if (!isAnswered) return socket.end(4000);
            isAnswered = false;
            socket.send({ op: 1, d: sequence });
            beat = setTimeout(next, interval);
          }, interval * Math.random());
          socket.send(
            session ? { op: 6, d: { token, session_id: session.session_id, seq: sequence } } : identify(token),
          );
        }
        if (op === 1) socket.send({ op: 1, d: sequence });
        if (op === 11) isAnswered = true;
        if (op === 7) socket.end(4000);
        if (op === 9) {
          if (d !== true) session = undefined;
          socket.end(4000);
        }
        if (op !== 0) return;
        if (t === "READY") session = readySession.parse(d);
        if (t === "READY" || t === "RESUMED") isOn();
        if (t === "INTERACTION_CREATE") await handlePress(d);
        if (t === "MESSAGE_CREATE") await handleText(d);
        // Not before it is stored: a resumed session begins after this one.
        sequence = s ?? sequence;
      });
      const code = await socket.ended;
      clearTimeout(beat);
      if (isRefused(code)) throw new ChatRefusal(`Discord does not take DISCORD_BOT_TOKEN for its gateway (${code}).`);
      if (lostSessions.includes(code)) session = undefined;
      // A new session may begin only after a while, a resumed one at once.
      throw new ChatProblem(
        "The connection to Discord ended.",
        session ? {} : { retryAfterSeconds: 1 + Math.random() },
      );
    };

    const handlePress = async (said: unknown) => {
      const press = interaction.safeParse(said).data;
      const from = press?.user ?? press?.member?.user;
      if (!press || !from) return;
      const path = `/interactions/${press.id}/${press.token}/callback`;
      let first: Promise<unknown> | undefined;
      const answerFirst = (body: object) => {
        clearTimeout(late);
        // A press that Discord gave up waiting for is stored all the same.
        first ??= call("POST", path, body).catch(() => undefined);
        return first;
      };
      const late = setTimeout(() => void answerFirst({ type: 6 }), firstAnswerMilliseconds);
      const event = { from: accountOf(from), ref: refOf(press.message), option: press.data.custom_id };
      const reply = await on.press({ ...event, eventId: press.id }).finally(() => clearTimeout(late));
      const data = reply.text ? { content: reply.text, flags: ephemeral, allowed_mentions: { parse: [] } } : undefined;
      if (!first) return void answerFirst(data ? { type: 4, data } : { type: 6 });
      await first;
      if (data) void call("POST", `/webhooks/${session?.application.id}/${press.token}`, data).catch(() => undefined);
    };
    const handleText = async (said: unknown) => {
      const message = written.safeParse(said).data;
      if (!message) return;
      const { id, channel_id, author, content, message_reference: reference } = message;
      const replyTo = reference && refOf({ id: reference.message_id, channel_id });
      const event = { from: accountOf(author), room: channel_id, text: content, eventId: id, replyTo };
      const { text } = await on.text(event);
      if (text) void post(channel_id, plain(text)).catch(() => undefined);
    };

    return {
      send: (room, message) => post(room, shown(message)),
      async edit(ref, message) {
        const [room, id] = ref.split("/");
        const { status, body } = await call("PATCH", `/channels/${room}/messages/${id}`, shown(message));
        if (status < 300 || problem.safeParse(body).data?.code === unknownMessage) return;
        throw problemOf(status, body);
      },
      close: keepConnected(life, connect, on.state),
    };
  },
};

/** Discord takes back the token of a bot that begins more sessions than it may on a day. */
function gatewayOf({ status, body }: { status: number; body: unknown }): string {
  if (status === 401) throw new ChatRefusal("Discord does not take DISCORD_BOT_TOKEN (401).");
  const { data } = gateway.safeParse(body);
  if (!data) throw new ChatProblem(`Discord answered ${status} without the address of its gateway.`);
  const { remaining, reset_after } = data.session_start_limit;
  if (remaining > 10) return data.url;
  throw new ChatProblem("Discord allows no more sessions today.", { retryAfterSeconds: reset_after / 1000 });
}

const identify = (token: string) => ({
  op: 2,
  d: { token, intents: directMessages, properties: { os: process.platform, browser: "backloom", device: "backloom" } },
});

function problemOf(status: number, body: unknown): ChatProblem {
  const { message, code } = problem.safeParse(body).data ?? { message: "", code: 0 };
  const isFinal = status >= 400 && status < 500 && status !== 401;
  return new ChatProblem(`Discord does not take the message: ${message || status} (${code}).`, { isFinal });
}

const accountOf = ({ id, username }: z.infer<typeof person>) => ({ id, name: username });
const refOf = ({ channel_id, id }: { channel_id: string; id: string }) => `${channel_id}/${id}`;
const plain = (content: string) => ({ content, flags: suppressEmbeds, allowed_mentions: { parse: [] } });

function shown(message: ChatMessage): object {
  const buttons = message.options.map(({ id, label }) => ({ type: 2, style: 2, label: labelOf(label), custom_id: id }));
  const rows = Array.from({ length: Math.ceil(buttons.length / buttonsInRow) }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * buttonsInRow, (row + 1) * buttonsInRow),
  }));
  return { ...plain(textOf(message, textLimit)), components: rows };
}
