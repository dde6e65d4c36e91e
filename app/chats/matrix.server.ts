import { randomUUID } from "node:crypto";
import { z } from "zod";
import { ChatRefusal, callChat, keepConnected, textOf, unlessFinal } from "./connection.server";
import { type ChatMessage, ChatProblem, type ChatReply, type ChatService } from "./service";

/** An event has 65,536 bytes, and an edit has the text twice. */
const textLimit = 4000;
const syncMilliseconds = 30_000;
const strangerMilliseconds = 10 * 60_000;
/** Older words do not count any more. They are offered again after each start, and known by their id. */
const oldestMilliseconds = 24 * 3_600_000;

const noEncryption =
  "I cannot read encrypted rooms. Please invite me to a new direct chat with encryption switched off before it is created.";

const none = { types: [] };
const filter = JSON.stringify({
  presence: none,
  account_data: none,
  room: {
    account_data: none,
    ephemeral: none,
    state: { types: ["m.room.encryption"] },
    timeline: { limit: 50, types: ["m.room.message", "m.reaction", "m.room.encryption", "m.room.encrypted"] },
  },
});

const eventSchema = z.object({
  type: z.string(),
  event_id: z.string().default(""),
  sender: z.string().default(""),
  state_key: z.string().optional(),
  origin_server_ts: z.number().default(0),
  content: z.unknown().optional(),
});
type RoomEvent = z.infer<typeof eventSchema>;

/** Other servers write these events: one that is not as it should be is left out. */
const events = z
  .object({ events: z.array(z.unknown()).default([]) })
  .transform(({ events: all }) => all.flatMap((each) => eventSchema.safeParse(each).data ?? []))
  .prefault({});
const roomsSchema = z.object({
  invite: z.record(z.string(), z.object({ invite_state: events })).default({}),
  join: z.record(z.string(), z.object({ state: events, timeline: events })).default({}),
});
const syncSchema = z.object({ next_batch: z.string(), rooms: roomsSchema.prefault({}) });
const problem = z.object({ error: z.string() });
const members = z.object({ joined: z.record(z.string(), z.unknown()) });
const optionsKey = "backloom.options";
const asked = z.object({ sender: z.string(), content: z.object({ [optionsKey]: z.array(z.string()).default([]) }) });
/** Written by a person's program: no more than such an id can have. */
const eventId = z.string().regex(/^\$[!-~]{1,254}$/);
const relation = z.object({
  rel_type: z.string().optional(),
  event_id: eventId.optional(),
  key: z.string().default(""),
  "m.in_reply_to": z.object({ event_id: eventId }).optional(),
});
const saidSchema = z.object({
  msgtype: z.string().optional(),
  body: z.string().default(""),
  "m.relates_to": relation.optional(),
});

/** Matrix by `/sync`: an event counts as read once it is stored. It has no buttons, so options are numbered. */
export const matrix: ChatService = {
  name: "matrix",
  async open({ api, token }, on) {
    const life = new AbortController();
    const call = async (method: "GET" | "POST" | "PUT", path: string, body?: object, waitsMilliseconds = 0) => {
      const request = { service: "Matrix", url: `${api}/_matrix/client/v3${path}`, authorization: `Bearer ${token}` };
      const said = await callChat({ ...request, method, body, waitsMilliseconds, signal: life.signal });
      if (said.status < 300) return said.body;
      const reason = problem.safeParse(said.body).data?.error ?? `status ${said.status}`;
      if (said.status === 401) throw new ChatRefusal(`Matrix does not take MATRIX_ACCESS_TOKEN: ${reason}`);
      throw new ChatProblem(`Matrix does not take the request: ${reason}`, { isFinal: said.status < 500 });
    };
    const at = (room: string) => `/rooms/${encodeURIComponent(room)}`;
    const post = async (room: string, content: object, type = "m.room.message") =>
      z.object({ event_id: z.string() }).parse(await call("PUT", `${at(room)}/send/${type}/${randomUUID()}`, content))
        .event_id;
    const reply = (room: string, { text }: ChatReply) =>
      text && void post(room, { msgtype: "m.notice", body: text }).catch(() => undefined);

    const strangers = new Map<string, NodeJS.Timeout>();
    const forget = (room: string) => {
      clearTimeout(strangers.get(room));
      strangers.delete(room);
    };
    const leave = (room: string) => {
      forget(room);
      return call("POST", `${at(room)}/leave`, {});
    };
    const note = (room: string, { isKnown }: ChatReply) => {
      if (isKnown) return forget(room);
      const timer = strangers.get(room) ?? setTimeout(() => leave(room).catch(() => undefined), strangerMilliseconds);
      strangers.set(room, timer);
    };

    let self = "";
    const handleInvite = async (room: string, state: RoomEvent[]) => {
      const own = state.find(({ type, state_key }) => type === "m.room.member" && state_key === self);
      if (!z.object({ is_direct: z.literal(true) }).safeParse(own?.content).success) return leave(room);
      await call("POST", `/join/${encodeURIComponent(room)}`, {});
      note(room, { text: null, isKnown: false });
    };

    const handle = async (room: string, { type, event_id: eventId, sender, content }: RoomEvent) => {
      const { msgtype, body = "", "m.relates_to": to } = saidSchema.safeParse(content).data ?? {};
      if (to?.rel_type === "m.replace") return;
      const { joined } = members.parse(await call("GET", `${at(room)}/joined_members`));
      if (Object.keys(joined).length > 2) return leave(room);
      const from = { id: sender, name: sender };
      /** Presses the option with this number in a message of this bot, if it has one. */
      const press = async (id: string, number: number) => {
        const said = await call("GET", `${at(room)}/event/${encodeURIComponent(id)}`).catch(unlessFinal);
        const message = asked.safeParse(said).data;
        const option = message?.sender === self ? message.content[optionsKey][number - 1] : undefined;
        if (option) reply(room, await on.press({ from, ref: refOf(room, id), option, eventId }));
        return option !== undefined;
      };
      if (type === "m.reaction") return to?.event_id && press(to.event_id, numberOf(to.key));
      if (type !== "m.room.message" || msgtype !== "m.text") return;
      const id = to?.["m.in_reply_to"]?.event_id;
      // Some programs repeat what they reply to.
      const text = id ? body.replace(/^(?:> .*\n)+\n?/, "") : body;
      if (id && /^\d{1,2}$/.test(text.trim()) && (await press(id, Number(text)))) return;
      const said = await on.text({ from, room, replyTo: id && refOf(room, id), text, eventId });
      note(room, said);
      reply(room, said);
    };

    let since = "";
    const sync = async () => {
      const query = new URLSearchParams({ filter, timeout: since === "" ? "0" : String(syncMilliseconds) });
      if (since !== "") query.set("since", since);
      const { next_batch, rooms } = syncSchema.parse(await call("GET", `/sync?${query}`, undefined, syncMilliseconds));
      for (const [room, { invite_state }] of Object.entries(rooms.invite)) {
        await handleInvite(room, invite_state).catch(unlessFinal);
      }
      for (const [room, { state, timeline }] of Object.entries(rooms.join)) {
        if ([...state, ...timeline].some(({ type }) => type.startsWith("m.room.encrypt"))) {
          await post(room, { msgtype: "m.notice", body: noEncryption }).catch(unlessFinal);
          await leave(room).catch(unlessFinal);
          continue;
        }
        for (const event of timeline) {
          const isOld = event.origin_server_ts < Date.now() - oldestMilliseconds;
          if (event.sender !== self && !isOld) await handle(room, event).catch(unlessFinal);
        }
      }
      since = next_batch;
    };
    const connect = async (isOn: () => void) => {
      self = z.object({ user_id: z.string() }).parse(await call("GET", "/account/whoami")).user_id;
      await sync();
      isOn();
      while (!life.signal.aborted) await sync();
    };
    /** Something to press. A server that asks to wait has none: the numbers can be written. */
    const react = async (room: string, event_id: string, count: number) => {
      for (let number = 1; number <= count; number++) {
        const relation = { rel_type: "m.annotation", event_id, key: keyOf(number) };
        await post(room, { "m.relates_to": relation }, "m.reaction");
      }
    };

    const close = keepConnected(life, connect, on.state);
    return {
      async send(room, message) {
        const id = await post(room, shown(message));
        void react(room, id, message.options.length).catch(() => undefined);
        return refOf(room, id);
      },
      async edit(ref, message) {
        const [room = "", event_id] = ref.split(" ");
        const content = shown(message);
        const relation = { "m.new_content": content, "m.relates_to": { rel_type: "m.replace", event_id } };
        await post(room, { ...content, body: `* ${content.body}`, ...relation });
      },
      async close() {
        await close();
        for (const timer of strangers.values()) clearTimeout(timer);
      },
    };
  },
};

const refOf = (room: string, id: string) => `${room} ${id}`;
const keyOf = (number: number) => (number === 10 ? "🔟" : `${number}\ufe0f\u20e3`);
const numberOf = (key: string) => (key === "🔟" ? 10 : Number(/^(\d)\ufe0f?\u20e3$/.exec(key)?.[1] ?? 0));

const shown = (message: ChatMessage) => ({
  msgtype: "m.text",
  body: textOf(message, textLimit, true),
  [optionsKey]: message.options.map(({ id }) => id),
  "m.mentions": {},
});
