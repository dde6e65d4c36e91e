import type { WebSocket } from "ws";
import { z } from "zod";
import type { Message } from "../../../supabase/embedded/realtime/feed";
import { type Caller, type Keys, readToken } from "./access-token";
import type { Authorizer } from "./authorize";
import { type Frame, readFrame, reply, writeFrame } from "./frames";

interface Channel {
  joinRef: string | null;
  /** Asked to be told when the database is followed, and not told yet. */
  awaitsReplication: boolean;
  caller: Caller;
  expiry: NodeJS.Timeout | undefined;
}

interface ConnectionOptions {
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
export class ClientConnection {
  readonly #options: ConnectionOptions;
  readonly #channels = new Map<string, Channel>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { socket } = options;
    const silence = setTimeout(() => this.cut(), silenceMeansGone);
    silence.unref();
    socket.on("message", (data, isBinary) => {
      silence.refresh();
      const frame = isBinary ? null : readFrame(String(data));
      if (frame) this.#handle(frame).catch(() => this.cut());
    });
    socket.on("close", () => {
      clearTimeout(silence);
      for (const topic of [...this.#channels.keys()]) this.#leave(topic);
    });
    socket.on("error", () => this.cut());
  }

  deliver(message: Message, frame: string): void {
    const { socket } = this.#options;
    if (!message.private || !this.#channels.has(topicPrefix + message.topic)) return;
    if (socket.bufferedAmount > largestBacklog) this.cut();
    else socket.send(frame);
  }

  /** Tells the channels that asked for it that the database is followed. */
  tellReplication(): void {
    for (const topic of this.#channels.keys()) this.#tellReplication(topic);
  }

  /** Cuts the socket without a goodbye: the client reports an error and joins again. */
  cut(): void {
    this.#options.socket.terminate();
  }

  async #handle(frame: Frame): Promise<void> {
    const { socket } = this.#options;
    switch (frame.event) {
      case "heartbeat":
        socket.send(reply(frame, "ok", {}));
        return;
      case "phx_join":
        socket.send(await this.#join(frame));
        this.#tellReplication(frame.topic);
        return;
      case "phx_leave":
        this.#leave(frame.topic);
        socket.send(reply(frame, "ok", {}));
        return;
      case "access_token":
        return this.#renew(frame);
      default:
        // Broadcasts of clients and presence: no policy here lets a client write, so they go nowhere.
        return;
    }
  }

  async #join(frame: Frame): Promise<string> {
    const refuse = (reason: string) => reply(frame, "error", { reason });
    const request = joinSchema.safeParse(frame.payload).data;
    if (!request || !frame.topic.startsWith(topicPrefix)) return refuse("Malformed join");
    const problem = problemOf(request) ?? this.#problemOfPlace(frame.topic);
    if (problem !== undefined) return refuse(problem);
    const { keys, keyHolder } = this.#options;
    const caller = request.access_token ? await readToken(request.access_token, keys) : keyHolder;
    if (!caller || (caller.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()) {
      return refuse("InvalidJWTToken: The token is invalid or has expired");
    }
    if (!(await this.#mayRead(caller, frame.topic))) {
      return refuse("Unauthorized: You do not have permissions to read from this Channel topic");
    }
    this.#leave(frame.topic);
    this.#channels.set(frame.topic, {
      joinRef: frame.joinRef,
      awaitsReplication: request.config.broadcast?.replication_ready ?? false,
      caller,
      expiry: this.#scheduleExpiry(frame.topic, caller),
    });
    return reply(frame, "ok", { postgres_changes: [] });
  }

  #problemOfPlace(topic: string): string | undefined {
    const others = this.#channels.size - (this.#channels.has(topic) ? 1 : 0);
    return others >= mostChannels ? "ChannelRateLimitReached: Too many channels" : undefined;
  }

  #mayRead(caller: Caller, topic: string): Promise<boolean> {
    return this.#options.authorizer.mayRead(caller, topic.slice(topicPrefix.length));
  }

  /** A refreshed token must still be good for the topic, otherwise the channel is closed. */
  async #renew({ topic, payload }: Frame): Promise<void> {
    const channel = this.#channels.get(topic);
    const request = tokenSchema.safeParse(payload);
    if (!channel || !request.success) return;
    const caller = await readToken(request.data.access_token, this.#options.keys);
    const isAllowed = caller !== null && (await this.#mayRead(caller, topic));
    if (this.#channels.get(topic) !== channel) return;
    if (!isAllowed) return this.#close(topic, "The new token gives no access to this topic");
    clearTimeout(channel.expiry);
    channel.caller = caller;
    channel.expiry = this.#scheduleExpiry(topic, caller);
  }

  #leave(topic: string): void {
    clearTimeout(this.#channels.get(topic)?.expiry);
    this.#channels.delete(topic);
  }

  #scheduleExpiry(topic: string, { expiresAt }: Caller): NodeJS.Timeout | undefined {
    if (expiresAt === null) return undefined;
    const left = Math.max(0, Math.min(expiresAt - Date.now(), 2 ** 31 - 1));
    // A client may leave while its join is judged: its clock then keeps no one from ending.
    return setTimeout(() => this.#close(topic, "Token has expired"), left).unref();
  }

  #close(topic: string, message: string): void {
    const joinRef = this.#channels.get(topic)?.joinRef ?? null;
    this.#leave(topic);
    this.#say(topic, "error", message);
    const frame = { joinRef, ref: joinRef, topic, event: "phx_close", payload: {} };
    this.#options.socket.send(writeFrame(frame));
  }

  #tellReplication(topic: string): void {
    const channel = this.#channels.get(topic);
    if (!channel?.awaitsReplication || !this.#options.isReplicating()) return;
    channel.awaitsReplication = false;
    this.#say(topic, "ok", "Replication connection established");
  }

  #say(topic: string, status: "ok" | "error", message: string): void {
    const channel = topic.slice(topicPrefix.length);
    const payload = { channel, extension: "system", message, status };
    const frame = { joinRef: null, ref: null, topic, event: "system", payload };
    this.#options.socket.send(writeFrame(frame));
  }
}

/** What no project of ours offers. */
function problemOf({ config }: z.output<typeof joinSchema>): string | undefined {
  if (config.postgres_changes?.length) return "Only broadcast is offered here";
  return config.private ? undefined : "PrivateOnly: This project only allows private channels";
}
