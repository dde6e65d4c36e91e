import { z } from "zod";
import { type FakeAnswer, openFakeServer } from "./server";
import type { FakePerson, FakeService } from "./service";

const content = z.looseObject({
  msgtype: z.string().optional(),
  body: z.string().default(""),
  "backloom.options": z.array(z.string()).default([]),
});
const edit = z.object({ "m.new_content": content, "m.relates_to": z.object({ event_id: z.string() }) });

/** The part of the client API that quick tests need, limited as Synapse is by default or not at all; tests/chats/matrix.test.ts has a real homeserver. */
export async function openMatrix({ isLimited = false } = {}): Promise<FakeService> {
  const token = "syt_Ym90_fakeTokenOfMatrix_0123";
  /** What people did, in the order of the homeserver; a `since` is a place in it. */
  const log: { room: string; event: object }[] = [];
  const waiting = new Set<() => void>();
  /** The ids of options, which an event keeps when it is edited. */
  const asked = new Map<string, string[]>();
  let lastId = 100;

  const no = (status: number, errcode: string, more: object = {}): FakeAnswer => ({
    status,
    json: { errcode, error: "No", ...more },
  });

  async function sync(since: number, timeout: number, gone: Promise<void>): Promise<FakeAnswer> {
    if (since >= log.length && timeout > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeout);
        const end = () => {
          clearTimeout(timer);
          waiting.delete(end);
          resolve();
        };
        waiting.add(end);
        void gone.then(end);
      });
    }
    const join: Record<string, { timeline: { events: object[] } }> = {};
    for (const { room, event } of log.slice(since)) {
      join[room] ??= { timeline: { events: [] } };
      join[room].timeline.events.push(event);
    }
    return { json: { next_batch: String(log.length), rooms: { join } } };
  }

  function post(room: string, type: string, body: unknown): FakeAnswer {
    if (!room.startsWith("!")) return no(403, "M_FORBIDDEN");
    if (Buffer.byteLength(JSON.stringify(body)) > 65_536) return no(413, "M_TOO_LARGE");
    const id = `$${++lastId}`;
    const change = edit.safeParse(body).data;
    const said = change?.["m.new_content"] ?? content.parse(body);
    const labels = [...said.body.matchAll(/^\d+\. (.*)$/gm)].map(([, label = ""]) => label);
    const options = said["backloom.options"].map((option, index) => ({ id: option, label: labels[index] ?? "" }));
    const edited = messages.find((message) => message.id === change?.["m.relates_to"].event_id);
    if (edited) Object.assign(edited, { text: said.body, options });
    else if (said.msgtype === "m.notice") answers.push(said.body);
    else if (type === "m.room.message" && !change) {
      messages.push({ room, id, text: said.body, options });
      asked.set(id, said["backloom.options"]);
    }
    return { json: { event_id: id } };
  }

  const server = await openFakeServer(({ method, path, query, headers, body, gone }) => {
    if (server.isRevoked() || headers.authorization !== `Bearer ${token}`) return no(401, "M_UNKNOWN_TOKEN");
    const [, of = ""] = /^_matrix\/client\/v3\/(.*)$/.exec(decodeURIComponent(path)) ?? [];
    if (of === "account/whoami") return { json: { user_id: "@bot:fake" } };
    if (of === "sync") return sync(Number(query.get("since") ?? log.length), Number(query.get("timeout")), gone);
    const [, room = "", what = "", name = ""] = /^rooms\/([^/]+)\/(\w+)\/?([^/]*)/.exec(of) ?? [];
    if (what === "joined_members") return { json: { joined: { "@bot:fake": {}, [room.slice(1)]: {} } } };
    if (what === "event") {
      const ids = asked.get(name);
      return ids ? { json: { sender: "@bot:fake", content: { "backloom.options": ids } } } : no(404, "M_NOT_FOUND");
    }
    if (method !== "PUT" || what !== "send") return no(404, "M_UNRECOGNIZED");
    const seconds = server.pauseFor(isLimited ? [["messages", 10, 50_000]] : []);
    if (seconds > 0) return { ...no(429, "M_LIMIT_EXCEEDED"), headers: { "Retry-After": String(seconds) } };
    return post(room, name, body);
  });
  const { messages, answers } = server.shared;

  const deliver = (room: string, event: object) => {
    log.push({ room, event });
    for (const end of [...waiting]) end();
  };
  const roomOf = ({ id }: FakePerson) => `!${id}`;
  const by = ({ id: sender }: FakePerson, type: string, said: object) => ({
    type,
    sender,
    event_id: `$${++lastId}`,
    origin_server_ts: Date.now(),
    content: said,
  });

  return {
    ...server.shared,
    config: { api: server.origin, token },
    roomOf,
    press(person, { room, id }, option) {
      const number = (asked.get(id) ?? []).indexOf(option) + 1;
      const relation = { rel_type: "m.annotation", event_id: id, key: `${number || 9}\ufe0f\u20e3` };
      deliver(room, by(person, "m.reaction", { "m.relates_to": relation }));
    },
    write(person, text, replyTo) {
      const reply = replyTo ? { "m.relates_to": { "m.in_reply_to": { event_id: replyTo.id } } } : {};
      deliver(roomOf(person), by(person, "m.room.message", { msgtype: "m.text", body: text, ...reply }));
    },
    repeat() {
      const last = log.at(-1);
      if (last) deliver(last.room, last.event);
    },
    connections: () => waiting.size,
  };
}
