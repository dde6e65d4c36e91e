import type { WebSocket } from "ws";
import { z } from "zod";
import { type FakeAnswer, openFakeServer } from "./server";
import type { FakePerson, FakeService } from "./service";

const sending = z.object({
  content: z.string().min(1).max(2000),
  flags: z.literal(4),
  allowed_mentions: z.object({ parse: z.array(z.string()).length(0) }),
  components: z
    .array(
      z.object({
        type: z.literal(1),
        components: z
          .array(
            z.object({
              type: z.literal(2),
              style: z.number(),
              label: z.string().min(1).max(80),
              custom_id: z.string().min(1).max(100),
            }),
          )
          .min(1)
          .max(5),
      }),
    )
    .max(5)
    .optional(),
});
const answering = z.object({
  type: z.union([z.literal(4), z.literal(6)]),
  data: z.object({ content: z.string(), flags: z.literal(64) }).optional(),
});
const following = z.object({ content: z.string(), flags: z.literal(64) });
const identifying = z.object({ op: z.literal(2), d: z.object({ token: z.string(), intents: z.number() }) });
const resuming = z.object({ op: z.literal(6), d: z.object({ session_id: z.string(), seq: z.number() }) });
const beating = z.object({ op: z.literal(1) });

interface Session {
  id: string;
  socket: WebSocket | undefined;
  /** What it was sent, to be replayed. */
  events: { s: number; t: string; d: object }[];
}

export interface FakeDiscord extends FakeService {
  /** How often a session began, and went on. */
  identified: number;
  resumed: number;
  refresh(): void;
  /** Ends the sessions: none is resumed. */
  forget(): void;
  /** No heartbeat is acknowledged any more. */
  fallSilent(): void;
}

type Options = { heartbeatMilliseconds?: number; firstAnswerMilliseconds?: number };

/** HTTP and gateway as documented: sessions are resumed after the last sequence, and interactions wait three seconds. */
export async function openDiscord(options: Options = {}): Promise<FakeDiscord> {
  const { heartbeatMilliseconds = 41_250, firstAnswerMilliseconds = 3000 } = options;
  const token = "MTEyMjMzNDQ1NTY2Nzc4ODk5.GfAkE0.fake-token-of-discord-0123456789";
  const sessions = new Map<string, Session>();
  /** Interactions that may be answered, and whether they were. */
  const interactions = new Map<string, { until: number; isAnswered: boolean }>();
  let lastId = 1000;
  let last: { t: string; d: object } | undefined;
  let isSilent = false;

  const no = (status: number, code: number, message: string): FakeAnswer => ({ status, json: { code, message } });

  const server = await openFakeServer(({ method, path, headers, body }) => {
    const [, id = "", key = ""] = /^(?:interactions|webhooks)\/([^/]+)\/([^/]+)/.exec(path) ?? [];
    if (path.startsWith("interactions/")) {
      const waiting = interactions.get(key);
      if (id === "" || !waiting || waiting.until < Date.now()) return no(404, 10_062, "Unknown interaction");
      if (waiting.isAnswered) return no(400, 40_060, "Interaction has already been acknowledged.");
      waiting.isAnswered = true;
      const { data } = answering.parse(body);
      if (data) answers.push(data.content);
      return {};
    }
    if (path.startsWith("webhooks/")) {
      if (!interactions.get(key)?.isAnswered) return no(404, 10_015, "Unknown Webhook");
      answers.push(following.parse(body).content);
      return { json: {} };
    }
    if (server.isRevoked() || headers.authorization !== `Bot ${token}`) return no(401, 0, "401: Unauthorized");
    if (path === "gateway/bot") {
      const session_start_limit = { total: 1000, remaining: 1000 - fake.identified, reset_after: 3_600_000 };
      return { json: { url: server.origin.replace("http", "ws"), shards: 1, session_start_limit } };
    }
    const [, room = "", message = ""] = /^channels\/([^/]+)\/messages\/?([^/]*)$/.exec(path) ?? [];
    if (!room.startsWith("9")) return no(404, 10_003, "Unknown Channel");
    const seconds = server.pauseFor([
      [`messages in ${room}`, 5, 5000],
      ["requests", 50, 1000],
    ]);
    if (seconds > 0) {
      const json = { message: "You are being rate limited.", retry_after: seconds - 0.4, global: false };
      return { status: 429, headers: { "X-RateLimit-Remaining": "0", "Retry-After": String(seconds) }, json };
    }
    const read = sending.safeParse(body);
    if (!read.success) return no(400, 50_035, "Invalid Form Body");
    const { content: text, components } = read.data;
    const buttons = components?.flatMap((row) => row.components) ?? [];
    const seen = { text, options: buttons.map(({ custom_id, label }) => ({ id: custom_id, label })) };
    if (method === "POST" && components === undefined) {
      answers.push(text);
      return { json: { id: String(++lastId), channel_id: room } };
    }
    if (method === "POST") {
      const sent = { room, id: String(++lastId), ...seen };
      messages.push(sent);
      return { json: { id: sent.id, channel_id: room } };
    }
    const edited = messages.find((each) => each.room === room && each.id === message);
    if (!edited) return no(404, 10_008, "Unknown Message");
    Object.assign(edited, seen);
    return { json: { id: edited.id, channel_id: room } };
  });
  const { messages, answers, drop } = server.shared;

  const say = (socket: WebSocket, op: number, d: unknown, more: object = {}) =>
    socket.send(JSON.stringify({ op, d, ...more }));
  const dispatch = (session: Session, t: string, d: object) => {
    const event = { s: session.events.length + 1, t, d };
    session.events.push(event);
    if (session.socket) say(session.socket, 0, d, { s: event.s, t });
  };

  const begin = (socket: WebSocket, said: z.infer<typeof identifying>) => {
    if (server.isRevoked() || said.d.token !== token) return socket.close(4004);
    if (said.d.intents !== 1 << 12) return socket.close(4014);
    fake.identified += 1;
    const session: Session = { id: `session-${++lastId}`, socket, events: [] };
    sessions.set(session.id, session);
    socket.on("close", () => {
      if (session.socket === socket) session.socket = undefined;
    });
    const address = `${server.origin.replace("http", "ws")}/resume`;
    dispatch(session, "READY", { session_id: session.id, resume_gateway_url: address, application: { id: "1" } });
  };
  const resume = (socket: WebSocket, { d: { session_id, seq } }: z.infer<typeof resuming>) => {
    if (server.isRevoked()) return socket.close(4004);
    const session = sessions.get(session_id);
    if (!session) return say(socket, 9, false);
    fake.resumed += 1;
    session.socket = socket;
    socket.on("close", () => {
      if (session.socket === socket) session.socket = undefined;
    });
    for (const { s, t, d } of session.events.filter(({ s }) => s > seq)) say(socket, 0, d, { s, t });
    dispatch(session, "RESUMED", {});
  };
  server.sockets.on("connection", (socket) => {
    socket.on("error", () => undefined);
    socket.on("message", (data) => {
      const said: unknown = JSON.parse(String(data));
      const [identify, go] = [identifying.safeParse(said).data, resuming.safeParse(said).data];
      if (identify) begin(socket, identify);
      if (go) resume(socket, go);
      if (beating.safeParse(said).success && !isSilent) say(socket, 11, null);
    });
    say(socket, 10, { heartbeat_interval: heartbeatMilliseconds });
  });

  const deliver = (t: string, d: object) => {
    last = { t, d };
    for (const session of sessions.values()) dispatch(session, t, d);
  };
  const roomOf = ({ id }: FakePerson) => `9${id}`;
  const userOf = ({ id, name }: FakePerson) => ({ id, username: name });

  const fake: FakeDiscord = {
    ...server.shared,
    config: { api: server.origin, token },
    identified: 0,
    resumed: 0,
    roomOf,
    press(person, { room, id }, option) {
      const key = `interaction-${++lastId}`;
      interactions.set(key, { until: Date.now() + firstAnswerMilliseconds, isAnswered: false });
      const message = { id, channel_id: room };
      const press = { id: String(lastId), token: key, type: 3, user: userOf(person), message };
      deliver("INTERACTION_CREATE", { ...press, data: { component_type: 2, custom_id: option } });
    },
    write(person, content, replyTo) {
      const message = { id: String(++lastId), channel_id: roomOf(person), author: userOf(person), content };
      const reference = replyTo ? { message_reference: { message_id: replyTo.id, channel_id: replyTo.room } } : {};
      deliver("MESSAGE_CREATE", { ...message, ...reference });
    },
    repeat: () => last && deliver(last.t, last.d),
    refresh() {
      for (const { socket } of sessions.values()) if (socket) say(socket, 7, null);
    },
    forget() {
      sessions.clear();
      drop();
    },
    fallSilent() {
      isSilent = true;
    },
  };
  return fake;
}
