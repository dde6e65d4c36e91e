import type { RealtimeChannel, RealtimeClient } from "@supabase/supabase-js";
import { z } from "zod";
import { changeEventName } from "~/contract/topics";

/** What the hub hears about one topic. */
export interface UpstreamListener {
  /** The topic is joined (again): what is sent from now on comes, unless Realtime drops it. */
  joined(): void;
  /** The topic is cut off: messages may be missing until the next `joined`. */
  lost(): void;
  message(payload: unknown): void;
}

/** Where the hub gets its topics from. */
export interface Upstream {
  /** Joins a topic and keeps it joined, whatever happens to the connection, until the returned function is called. */
  join(topic: string, listener: UpstreamListener): () => void;
  close(): Promise<void>;
}

interface RealtimeUpstream extends Upstream {
  readonly sockets: number;
  readonly channels: number;
}

interface UpstreamOptions {
  /** Makes one more connection; hosted projects allow 100 channels on each. */
  connect: () => RealtimeClient;
  channelsPerSocket?: number;
  /** Wait before a channel that the server closed is opened anew, and before an empty connection is given up. */
  reopenAfterMs?: number;
  /** How long a joined channel waits to hear that Realtime follows the database before it counts as joined all the same. */
  readyWithinMs?: number;
}

interface Socket {
  client: RealtimeClient;
  /** Topics that hold a channel, those included that are just being left. */
  topics: Set<string>;
  /** A join was refused here: Realtime judges a connection by the token with which it was opened, and that token ends. */
  isRefused: boolean;
}

/** Longest wait before a topic is asked for again that was refused again and again. */
const longestReopenMs = 30_000;

/** The server's answer to a join that it refuses; what is said of a broken connection carries a code. */
const refusalSchema = z.object({ reason: z.string(), code: z.undefined().optional() });

/** Realtime joins a channel before it follows the database; this is what it says when it does. */
const readySchema = z.object({
  extension: z.literal("system"),
  status: z.literal("ok"),
  message: z.literal("Replication connection established"),
});

/**
 * Topics over supabase-js channels. The client reconnects and joins again by itself with growing pauses; this adds
 * what it leaves out: more than one connection, a channel that the server closed, a connection on which nothing may be
 * joined any more, and leaving before joining again.
 */
export function createUpstream(options: UpstreamOptions): RealtimeUpstream {
  const { connect, channelsPerSocket = 100, reopenAfterMs = 1000, readyWithinMs = 2500 } = options;
  const sockets = new Set<Socket>();
  let isClosed = false;

  function socketFor(topic: string): Socket {
    for (const socket of sockets) {
      const hasPlace = socket.topics.size < channelsPerSocket && !socket.topics.has(topic);
      if (hasPlace && !socket.isRefused) return socket;
    }
    const socket = { client: connect(), topics: new Set<string>(), isRefused: false };
    sockets.add(socket);
    return socket;
  }

  /** Nobody waits for it, so it never fails: what cannot be left in order is left all the same, and its place is free. */
  async function release(socket: Socket, topic: string, channel: RealtimeChannel): Promise<void> {
    await socket.client.removeChannel(channel).catch(() => undefined);
    socket.topics.delete(topic);
    if (socket.topics.size > 0 || isClosed) return;
    sockets.delete(socket);
    await socket.client.disconnect().catch(() => undefined);
  }

  return {
    get sockets() {
      return sockets.size;
    },
    get channels() {
      let count = 0;
      for (const socket of sockets) count += socket.topics.size;
      return count;
    },
    join(topic, listener) {
      return keepJoined(topic, listener, { socketFor, release, reopenAfterMs, readyWithinMs });
    },
    async close() {
      isClosed = true;
      const open = [...sockets];
      sockets.clear();
      await Promise.all(open.map((socket) => socket.client.removeAllChannels()));
    },
  };
}

interface ChannelKeeper {
  socketFor(topic: string): Socket;
  release(socket: Socket, topic: string, channel: RealtimeChannel): Promise<void>;
  reopenAfterMs: number;
  readyWithinMs: number;
}

function keepJoined(topic: string, listener: UpstreamListener, keeper: ChannelKeeper): () => void {
  let isWanted = true;
  let refusals = 0;
  let reopening: NodeJS.Timeout | undefined;
  let leave = open();

  function open(): () => void {
    const socket = keeper.socketFor(topic);
    socket.topics.add(topic);
    let isCurrent = true;
    let isReady = false;
    let unsure: NodeJS.Timeout | undefined;
    const joined = () => {
      clearTimeout(unsure);
      refusals = 0;
      listener.joined();
    };
    const channel = socket.client
      .channel(topic, { config: { private: true, broadcast: { replication_ready: true } } })
      .on("broadcast", { event: changeEventName }, (message) => {
        if (isCurrent) listener.message(message.payload);
      })
      .on("system", {}, (message: unknown) => {
        if (!isCurrent || !readySchema.safeParse(message).success) return;
        isReady = true;
        joined();
      });
    channel.subscribe((status, error) => {
      if (!isCurrent) return;
      clearTimeout(unsure);
      if (status === "SUBSCRIBED") {
        // Somebody waits for the state: they get it now, and once more when Realtime is ready.
        if (!isReady) unsure = setTimeout(joined, keeper.readyWithinMs);
        return;
      }
      isReady = false;
      listener.lost();
      const isRefused = refusalSchema.safeParse(error?.cause).success;
      if (isRefused) socket.isRefused = true;
      if (isRefused || status === "CLOSED") reopen();
    });
    return () => {
      isCurrent = false;
      clearTimeout(unsure);
      void keeper.release(socket, topic, channel);
    };
  }

  function reopen(): void {
    leave();
    const wait = Math.min(keeper.reopenAfterMs * 2 ** refusals, longestReopenMs);
    refusals += 1;
    reopening = setTimeout(() => {
      if (isWanted) leave = open();
    }, wait);
  }

  return () => {
    isWanted = false;
    clearTimeout(reopening);
    leave();
  };
}
