import type { WebSocket } from "ws";
import { z } from "zod";
import { type Caller, type Keys, readToken } from "./access-token";
import type { Authorizer } from "./authorize";
import type { Message } from "./feed";
import { type Frame, readFrame, reply, writeFrame } from "./frames";

interface Channel {
  joinRef: string | null;
  /** Asked to be told when the database is followed, and not told yet. */
  awaitsReplication: boolean;
  caller: Caller;
  expiry: NodeJS.Timeout | undefined;
}

export interface ClientConnection {
  deliver(message: Message, frame: string): void;
  /** Tells the channels that asked for it that the database is followed. */
  tellReplication(): void;
  /** Cuts the socket without a goodbye: the client reports an error and joins again. */
  cut(): void;
}

export interface ConnectionOptions {
  socket: WebSocket;
  /** Who the key in the address is; a join without a token of its own is this caller's. */
  keyHolder: Caller;
  keys: Keys;
  authorizer: Authorizer;
  isReplicating(): boolean;
}

const mostChannels = 100;
const largestBacklog = 1024 * 1024;
const silenceMeansGone = 90_000;
const topicPrefix = "realtime:";

const joinSchema = z.object({
  access_token: z.string().nullish(),
  config: z.object({
    private: z.boolean().optional(),
    broadcast: z.object({ replication_ready: z.boolean().optional() }).optional(),
    postgres_changes: z.array(z.unknown()).optional(),
  }),
});
const tokenSchema = z.object({ access_token: z.string() });

/** One client: its channels, each with the rights that its token had when it joined. */
export function serveConnection(options: ConnectionOptions): ClientConnection {
  const { socket, authorizer, keys } = options;
  const channels = new Map<string, Channel>();
  let silence = setTimeout(() => socket.terminate(), silenceMeansGone);

  const leave = (topic: string) => {
    clearTimeout(channels.get(topic)?.expiry);
    channels.delete(topic);
  };

  const say = (topic: string, status: "ok" | "error", message: string) => {
    const payload = {
      channel: topic.slice(topicPrefix.length),
      extension: "system",
      message,
      status,
    };
    socket.send(writeFrame({ joinRef: null, ref: null, topic, event: "system", payload }));
  };

  const tellReplication = (topic: string) => {
    const channel = channels.get(topic);
    if (!channel?.awaitsReplication || !options.isReplicating()) return;
    channel.awaitsReplication = false;
    say(topic, "ok", "Replication connection established");
  };

  const shutDown = (topic: string, message: string) => {
    const joinRef = channels.get(topic)?.joinRef ?? null;
    leave(topic);
    say(topic, "error", message);
    socket.send(writeFrame({ joinRef, ref: joinRef, topic, event: "phx_close", payload: {} }));
  };

  const scheduleExpiry = (topic: string, caller: Caller) => {
    if (caller.expiresAt === null) return undefined;
    const left = Math.min(caller.expiresAt - Date.now(), 2 ** 31 - 1);
    return setTimeout(() => shutDown(topic, "Token has expired"), Math.max(0, left));
  };

  const join = async (frame: Frame): Promise<string> => {
    const request = joinSchema.safeParse(frame.payload);
    const refuse = (reason: string) => reply(frame, "error", { reason });
    if (!request.success || !frame.topic.startsWith(topicPrefix)) return refuse("Malformed join");
    if (request.data.config.postgres_changes?.length)
      return refuse("Only broadcast is offered here");
    if (!request.data.config.private) {
      return refuse("PrivateOnly: This project only allows private channels");
    }
    const others = channels.size - (channels.has(frame.topic) ? 1 : 0);
    if (others >= mostChannels) return refuse("ChannelRateLimitReached: Too many channels");
    const token = request.data.access_token;
    const caller = token ? await readToken(token, keys) : options.keyHolder;
    if (!caller || (caller.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()) {
      return refuse("InvalidJWTToken: The token is invalid or has expired");
    }
    if (!(await authorizer.mayRead(caller, frame.topic.slice(topicPrefix.length)))) {
      return refuse("Unauthorized: You do not have permissions to read from this Channel topic");
    }
    leave(frame.topic);
    const expiry = scheduleExpiry(frame.topic, caller);
    const awaitsReplication = request.data.config.broadcast?.replication_ready ?? false;
    channels.set(frame.topic, { joinRef: frame.joinRef, awaitsReplication, caller, expiry });
    return reply(frame, "ok", { postgres_changes: [] });
  };

  /** A refreshed token must still be good for the topic, else the channel is closed. */
  const renew = async (frame: Frame): Promise<void> => {
    const channel = channels.get(frame.topic);
    const request = tokenSchema.safeParse(frame.payload);
    if (!channel || !request.success) return;
    const caller = await readToken(request.data.access_token, keys);
    const allowed =
      caller !== null && (await authorizer.mayRead(caller, frame.topic.slice(topicPrefix.length)));
    if (channels.get(frame.topic) !== channel) return;
    if (!allowed) return shutDown(frame.topic, "The new token gives no access to this topic");
    clearTimeout(channel.expiry);
    channel.caller = caller;
    channel.expiry = scheduleExpiry(frame.topic, caller);
  };

  const handle = async (frame: Frame): Promise<string | undefined> => {
    switch (frame.event) {
      case "heartbeat":
        return reply(frame, "ok", {});
      case "phx_join":
        return join(frame);
      case "phx_leave":
        leave(frame.topic);
        return reply(frame, "ok", {});
      case "access_token":
        await renew(frame);
        return undefined;
      default:
        // Broadcasts of clients and presence: no policy here lets a client write, so they go nowhere.
        return undefined;
    }
  };

  socket.on("message", (data, isBinary) => {
    silence.refresh();
    const frame = isBinary ? null : readFrame(String(data));
    if (!frame) return;
    handle(frame).then(
      (answer) => {
        if (answer) socket.send(answer);
        if (frame.event === "phx_join") tellReplication(frame.topic);
      },
      () => socket.terminate(),
    );
  });
  socket.on("close", () => {
    clearTimeout(silence);
    for (const topic of [...channels.keys()]) leave(topic);
  });
  socket.on("error", () => socket.terminate());
  silence = silence.unref();

  return {
    deliver(message, frame) {
      if (!message.private || !channels.has(topicPrefix + message.topic)) return;
      if (socket.bufferedAmount > largestBacklog) return socket.terminate();
      socket.send(frame);
    },
    tellReplication() {
      for (const topic of channels.keys()) tellReplication(topic);
    },
    cut: () => socket.terminate(),
  };
}
