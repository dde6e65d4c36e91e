import type { WebSocket } from "ws";
import { z } from "zod";
import { type FakeAnswer, type Limit, openFakeServer } from "./server";
import type { FakeMessage, FakePerson, FakeService } from "./service";

const button = z.object({
  type: z.literal("button"),
  action_id: z.string().min(1).max(255),
  value: z.string().max(2000),
  text: z.object({ type: z.literal("plain_text"), text: z.string().min(1).max(75), emoji: z.boolean() }),
});
const block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("section"), text: z.object({ type: z.string(), text: z.string().min(1).max(3000) }) }),
  z.object({ type: z.literal("actions"), elements: z.array(button).min(1).max(25) }),
  z.object({ type: z.literal("context"), elements: z.array(z.object({ type: z.string(), text: z.string() })).max(10) }),
]);
const sending = z.object({
  channel: z.string(),
  ts: z.string().optional(),
  user: z.string().optional(),
  text: z.string().max(40_000),
  blocks: z.array(block).max(50).default([]),
});
const ack = z.object({ envelope_id: z.string() });

export interface FakeSlack extends FakeService {
  /** Asks the app for a new connection, as Slack does every few hours, and ends the old one once there is another. */
  refresh(): void;
}

/** Web API and Socket Mode as documented: an event goes to one of the sockets, and again without an acknowledgment. */
export async function openSlack(options: { acknowledgeWithinMilliseconds?: number } = {}): Promise<FakeSlack> {
  const { acknowledgeWithinMilliseconds = 3000 } = options;
  const [token, appToken] = ["xoxb-1111-fake-token-of-slack", "xapp-1-fake-token-of-slack"];
  const waiting = new Map<string, object>();
  const timers = new Set<NodeJS.Timeout>();
  const ready: WebSocket[] = [];
  const leaving: WebSocket[] = [];
  let last: { type: string; payload: object } | undefined;
  let lastId = 1000;

  const no = (error: string): FakeAnswer => ({ json: { ok: false, error } });
  const fine = (more: object = {}): FakeAnswer => ({ json: { ok: true, ...more } });
  const find = ({ channel, ts }: { channel: string; ts?: string | undefined }) =>
    messages.find(({ room, id }) => room === channel && id === ts);

  const server = await openFakeServer(({ path, headers, body }) => {
    const expected = path === "apps.connections.open" ? appToken : token;
    if (server.isRevoked() || headers.authorization !== `Bearer ${expected}`) return no("invalid_auth");
    if (path === "auth.test") return fine({ user_id: "UBOT" });
    if (path === "apps.connections.open") return fine({ url: `${server.origin.replace("http", "ws")}/link?ticket=1` });
    if (path === "users.info") return fine({ user: { name: `name-of-${body.user}` } });
    const read = sending.safeParse(body);
    if (!read.success) return no("invalid_blocks");
    if (!read.data.channel.startsWith("D")) return no("channel_not_found");
    const { channel: room, text } = read.data;
    const seconds = server.pauseFor(limitsOf(path, room));
    if (seconds > 0) return { ...no("ratelimited"), status: 429, headers: { "Retry-After": String(seconds) } };
    if (path === "chat.postEphemeral" || (path === "chat.postMessage" && read.data.blocks.length === 0)) {
      answers.push(text);
      return fine();
    }
    const seen = seenOf(read.data.blocks);
    if (path === "chat.postMessage") {
      const message = { room, id: `1700000000.${String(++lastId).padStart(6, "0")}`, ...seen };
      messages.push(message);
      return fine({ channel: room, ts: message.id });
    }
    if (path !== "chat.update") return no("unknown_method");
    if (text.length > 4000) return no("msg_too_long");
    const message = find(read.data);
    if (!message) return no("message_not_found");
    Object.assign(message, seen);
    return fine({ channel: room, ts: message.id });
  });
  const { messages, answers } = server.shared;

  const say = (socket: WebSocket, frame: object) => socket.send(JSON.stringify(frame));
  server.sockets.on("connection", (socket) => {
    ready.push(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (ready.includes(socket)) ready.splice(ready.indexOf(socket), 1);
    });
    socket.on("message", (data) => {
      waiting.delete(ack.parse(JSON.parse(String(data))).envelope_id);
    });
    say(socket, { type: "hello", num_connections: ready.length, connection_info: { app_id: "A1" } });
    for (const frame of waiting.values()) say(socket, { ...frame, retry_attempt: 1, retry_reason: "timeout" });
    for (const former of leaving.splice(0)) former.close(1000);
  });

  const deliver = (type: string, payload: object) => {
    last = { type, payload };
    const envelope_id = `envelope-${++lastId}`;
    const frame = { envelope_id, type, accepts_response_payload: false, payload };
    waiting.set(envelope_id, frame);
    const socket = ready.at(lastId % 2 === 0 ? 0 : -1);
    if (!socket) return;
    say(socket, frame);
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (waiting.has(envelope_id) && ready[0]) say(ready[0], { ...frame, retry_attempt: 1, retry_reason: "timeout" });
    }, acknowledgeWithinMilliseconds);
    timers.add(timer);
  };
  const roomOf = ({ id }: FakePerson) => `D-${id}`;

  return {
    ...server.shared,
    config: { api: server.origin, token, appToken },
    roomOf,
    press(person, { room, id }, option) {
      const action = { type: "button", action_id: option, value: option, action_ts: `170.${++lastId}` };
      deliver("interactive", {
        type: "block_actions",
        user: { id: person.id, username: person.name, team_id: "T1" },
        container: { type: "message", channel_id: room, message_ts: id },
        actions: [action],
      });
    },
    write(person, text, replyTo) {
      const event = { type: "message", channel_type: "im", user: person.id, channel: roomOf(person), text };
      const thread = replyTo ? { thread_ts: replyTo.id } : {};
      deliver("events_api", { type: "event_callback", event_id: `Ev${++lastId}`, event: { ...event, ...thread } });
    },
    repeat: () => last && deliver(last.type, last.payload),
    refresh() {
      for (const socket of ready) say(socket, { type: "disconnect", reason: "refresh_requested" });
      leaving.push(...ready.splice(0));
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      await server.shared.close();
    },
  };
}

function limitsOf(path: string, room: string): Limit[] {
  if (path === "chat.update") return [["edits", 50, 60_000]];
  if (path === "chat.postEphemeral") return [["words of one", 100, 60_000]];
  return [
    [`messages in ${room}`, 5, 5000],
    ["messages", 300, 60_000],
  ];
}

function seenOf(blocks: z.infer<typeof block>[]): Pick<FakeMessage, "text" | "options"> {
  const texts = blocks.flatMap((each) => {
    if (each.type === "section") return each.text.text;
    return each.type === "context" ? each.elements.map(({ text }) => text) : [];
  });
  const buttons = blocks.flatMap((each) => (each.type === "actions" ? each.elements : []));
  return { text: texts.join("\n\n"), options: buttons.map(({ value, text }) => ({ id: value, label: text.text })) };
}
