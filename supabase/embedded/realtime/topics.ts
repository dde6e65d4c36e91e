import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Upstream, UpstreamListener } from "../../../app/db/upstream";
import { changeEventName } from "../../../app/wire/events";
import { followMessages } from "./feed";

export interface Topics {
  upstream: Upstream;
  stop(): Promise<void>;
}

const keepEvery = 60_000;
const longestBeginning = 10_000;

/** Opens the app's topics in the process that follows the database, without socket, token or heartbeat. */
export async function openTopics(databaseUrl: string): Promise<Topics> {
  const stopKeeping = await keepMessages(databaseUrl);
  const topics = new Map<string, Set<UpstreamListener>>();
  let isUp = false;
  const turn = (up: boolean) => {
    isUp = up;
    for (const listeners of topics.values()) for (const listener of listeners) listener[up ? "joined" : "lost"]();
  };
  const feed = followMessages(databaseUrl, {
    onMessage({ topic, event, payload, private: isPrivate }) {
      if (!isPrivate || event !== changeEventName) return;
      for (const listener of topics.get(topic) ?? []) listener.message(payload);
    },
    onInterruption: () => turn(false),
    onReturn: () => turn(true),
  });
  const stop = async () => {
    await feed.stop();
    await stopKeeping();
  };
  // Another transaction may delay it. Listeners that join meanwhile are notified once it has begun.
  const late = pause(longestBeginning, undefined, { ref: false });
  await Promise.race([feed.begun, late]).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    upstream: {
      join(topic, listener) {
        const listeners = topics.get(topic) ?? new Set();
        topics.set(topic, listeners.add(listener));
        if (isUp) listener.joined();
        return () => {
          listeners.delete(listener);
          if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
        };
      },
      // The feed serves every hub of the process and ends with the stack.
      close: async () => undefined,
    },
    stop,
  };
}

/** Creates the daily partitions of messages ahead of time and drops old ones. */
async function keepMessages(databaseUrl: string): Promise<() => Promise<void>> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 5000,
    application_name: "backloom realtime messages",
    onConnect: (client) => client.query("set statement_timeout = '5s'; set lock_timeout = '2s'"),
  });
  // Without these listeners, a lost connection would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const keep = () =>
    pool.query("begin; set local role supabase_realtime_admin; select realtime.keep_messages(); commit");
  await keep();
  const keeping = setInterval(() => void keep().catch(() => undefined), keepEvery).unref();
  let ended: Promise<void> | undefined;
  return () => {
    clearInterval(keeping);
    ended ??= pool.end();
    return ended;
  };
}
