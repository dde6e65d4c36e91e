import type { RealtimeChannel, RealtimeClient } from "@supabase/supabase-js";
import { z } from "zod";
import { changeEventName } from "~/wire/events";

export interface UpstreamListener {
  /** The topic is joined (again). New messages arrive from now on, unless Realtime drops them. */
  joined(): void;
  /** The topic is disconnected. Messages may be missing until the next `joined`. */
  lost(): void;
  message(payload: unknown): void;
}

export interface Upstream {
  /** Joins a topic and keeps it joined across reconnects, until the returned function is called. */
  join(topic: string, listener: UpstreamListener): () => void;
  close(): Promise<void>;
}

interface RealtimeUpstream extends Upstream {
  readonly sockets: number;
  readonly channels: number;
}

interface UpstreamOptions {
  /** Opens another connection. */
  connect: () => RealtimeClient;
  /** First wait before a channel that the server closed or refused is reopened. Doubles with each refusal. */
  reopenAfterMs?: number;
}

interface Socket {
  client: RealtimeClient;
  /** Topics with a channel, including those being left. */
  topics: Set<string>;
  /** A join was refused. Realtime checks the token the connection was opened with, which expires: use a new one. */
  isRefused: boolean;
}

/** Hosted projects allow so many on a connection. */
const channelsPerSocket = 100;

/** How long a joined channel waits for Realtime to follow the database before it counts as joined anyway. */
const readyWithinMs = 2500;

/** Longest wait before a repeatedly refused topic is joined again. */
const longestReopenMs = 30_000;

/** The server's answer to a refused join. Errors of a broken connection have a `code`. */
const refusalSchema = z.object({ reason: z.string(), code: z.undefined().optional() });

/** Realtime joins a channel before it follows the database, and sends this message once it does. */
const readySchema = z.object({
  extension: z.literal("system"),
  status: z.literal("ok"),
  message: z.literal("Replication connection established"),
});

/**
 * Adds what supabase-js lacks: several connections, reopening channels that the server closed, replacing connections
 * whose joins are refused, and leaving a channel before joining it again.
 */
export function createUpstream({ connect, reopenAfterMs = 1000 }: UpstreamOptions): RealtimeUpstream {
  const sockets = new Set<Socket>();
  let isClosed = false;

  function socketFor(topic: string): Socket {
    for (const socket of sockets) {
      const hasRoom = socket.topics.size < channelsPerSocket && !socket.topics.has(topic);
      if (hasRoom && !socket.isRefused) return socket;
    }
    const socket = { client: connect(), topics: new Set<string>(), isRefused: false };
    sockets.add(socket);
    return socket;
  }

  /** Leaves a channel and frees its place. Never rejects, because no caller awaits it. */
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
      return keepJoined(topic, listener, { socketFor, release, reopenAfterMs });
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
        // Readers are waiting for the state: report `joined` after a while, and again once Realtime is ready.
        if (!isReady) unsure = setTimeout(joined, readyWithinMs);
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
