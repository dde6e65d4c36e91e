import type { RealtimeChannel } from "@supabase/supabase-js";

export interface BroadcastListener {
  /** The next state that the channel reports: SUBSCRIBED, CHANNEL_ERROR, CLOSED, TIMED_OUT. */
  state(): Promise<string>;
  /** The payload of the next broadcast. */
  next(): Promise<Record<string, unknown>>;
}

/** Subscribes to a channel and hands out what happens on it, one by one. */
export function listenTo(channel: RealtimeChannel, event = "change"): BroadcastListener {
  const states = queue<string>();
  const broadcasts = queue<Record<string, unknown>>();
  channel.on("broadcast", { event }, ({ payload }) => broadcasts.add(payload));
  channel.subscribe((state) => states.add(state));
  return { state: states.take, next: broadcasts.take };
}

function queue<T>(): { add(item: T): void; take(): Promise<T> } {
  const items: T[] = [];
  const takers: ((item: T) => void)[] = [];
  return {
    add(item) {
      const taker = takers.shift();
      if (taker) taker(item);
      else items.push(item);
    },
    take: () =>
      new Promise((resolve) => {
        const item = items.shift();
        if (item === undefined) takers.push(resolve);
        else resolve(item);
      }),
  };
}
