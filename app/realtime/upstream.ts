import type { RealtimeChannel, RealtimeClient } from "@supabase/supabase-js";
import { changeEventName } from "~/contract/topics";

/** What the hub hears about one topic. */
export interface UpstreamListener {
  /** The topic is joined (again): every message from now on arrives. */
  joined(): void;
  /** The topic is cut off: messages may be missing until the next `joined`. */
  lost(): void;
  message(payload: unknown): void;
}

/** Where the hub gets its topics from. */
export interface Upstream {
  /** Joins a topic and keeps it joined, whatever happens to the connection, until the returned function is called. */
  join(topic: string, listener: UpstreamListener): () => void;
  readonly sockets: number;
  readonly channels: number;
  close(): Promise<void>;
}

interface UpstreamOptions {
  /** Makes one more connection; hosted projects allow 100 channels on each. */
  connect: () => RealtimeClient;
  channelsPerSocket?: number;
  /** Wait before a channel that the server closed is opened anew, and before an empty connection is given up. */
  reopenAfterMs?: number;
}

interface Socket {
  client: RealtimeClient;
  /** Topics that hold a channel, those included that are just being left. */
  topics: Set<string>;
}

/**
 * Topics over supabase-js channels. The client reconnects and joins again by itself with growing pauses; this adds
 * what it leaves out: more than one connection, a channel that the server closed, and leaving before joining again.
 */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { connect, channelsPerSocket = 100, reopenAfterMs = 1000 } = options;
  const sockets = new Set<Socket>();
  let isClosed = false;

  function socketFor(topic: string): Socket {
    for (const socket of sockets) {
      if (socket.topics.size < channelsPerSocket && !socket.topics.has(topic)) return socket;
    }
    const socket = { client: connect(), topics: new Set<string>() };
    sockets.add(socket);
    return socket;
  }

  async function release(socket: Socket, topic: string, channel: RealtimeChannel): Promise<void> {
    await socket.client.removeChannel(channel);
    socket.topics.delete(topic);
    if (socket.topics.size > 0 || isClosed) return;
    sockets.delete(socket);
    await socket.client.disconnect();
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
  let reopening: NodeJS.Timeout | undefined;
  let leave = open();

  function open(): () => void {
    const socket = keeper.socketFor(topic);
    socket.topics.add(topic);
    let isCurrent = true;
    const channel = socket.client
      .channel(topic, { config: { private: true } })
      .on("broadcast", { event: changeEventName }, (message) => {
        if (isCurrent) listener.message(message.payload);
      });
    channel.subscribe((status) => {
      if (!isCurrent) return;
      if (status === "SUBSCRIBED") return listener.joined();
      listener.lost();
      if (status === "CLOSED") reopen();
    });
    return () => {
      isCurrent = false;
      void keeper.release(socket, topic, channel);
    };
  }

  function reopen(): void {
    leave();
    reopening = setTimeout(() => {
      if (isWanted) leave = open();
    }, keeper.reopenAfterMs);
  }

  return () => {
    isWanted = false;
    clearTimeout(reopening);
    leave();
  };
}
