import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "pg";
import { LogicalReplicationService, PgoutputPlugin } from "pg-logical-replication";
import { z } from "zod";
import { VisibleTransactions } from "./visible-transactions";

export type Message = { topic: string; event: string; payload: unknown; private: boolean };

export interface Feed {
  /** Resolves when the feed first follows the database. Rejects if the first attempt fails; the feed retries anyway. */
  begun: Promise<void>;
  stop(): Promise<void>;
}

export interface FeedListener {
  onMessage(message: Message): void;
  /** Messages may have been missed: listeners must read their state again. */
  onInterruption(): void;
  /** The database is followed (again). */
  onReturn(): void;
}

const publication = "supabase_realtime_messages_publication";
const probeEvery = 2_000;
/** Unanswered probes in a row. Counted, not timed, because a process that was blocked itself has sent only one. */
const unansweredMeansLost = 3;

const insertSchema = z.object({
  tag: z.literal("insert"),
  new: z.object({
    topic: z.string(),
    event: z.string(),
    payload: z.unknown(),
    private: z.boolean(),
    extension: z.literal("broadcast"),
  }),
});

/** As hosted Realtime does. The slot is temporary, so it can never retain old WAL. A lost connection is reopened. */
export function followMessages(databaseUrl: string, listener: FeedListener, probeMs = probeEvery): Feed {
  const stopping = new AbortController();
  const { signal } = stopping;
  const open = async () => {
    const stream = await openStream({ databaseUrl, listener, probeMs, signal });
    listener.onReturn();
    return stream;
  };
  const reopen = async (): Promise<Stream | undefined> => {
    while (!signal.aborted) {
      const stream = await open().catch(() => undefined);
      if (stream) return stream;
      await wait(250, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  };
  const first = open();
  const loop = (async () => {
    let current = (await first.catch(() => undefined)) ?? (await reopen());
    while (current) {
      await current.ended;
      listener.onInterruption();
      current = await reopen();
    }
  })();
  return {
    begun: first.then(() => undefined),
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

const beginSchema = z.object({ tag: z.literal("begin"), xid: z.number() });
const commitSchema = z.object({ tag: z.literal("commit") });

type Stream = { ended: Promise<void> };

type StreamOptions = { databaseUrl: string; listener: FeedListener; probeMs: number; signal: AbortSignal };

/** Opens the stream. The slot starts, and probes are answered, only once all currently open transactions have ended. */
async function openStream(options: StreamOptions): Promise<Stream> {
  const { databaseUrl, listener, probeMs, signal } = options;
  const service = new LogicalReplicationService(
    { connectionString: databaseUrl, application_name: "backloom realtime", keepAlive: true },
    { acknowledge: { auto: false, timeoutSeconds: 0 } },
  );
  let unanswered = 0;
  const end = () => void service.destroy().catch(() => undefined);
  const visible = await VisibleTransactions.open<Message>(databaseUrl, listener.onMessage, end);
  let current: { id: number; messages: Message[] } = { id: 0, messages: [] };
  service.on("error", () => undefined);
  const confirm = (ping: boolean) => service.acknowledge(justBefore(service.lastLsn()), ping);
  service.on("heartbeat", (_lsn, _sentAt, mustRespond: boolean) => {
    unanswered = 0;
    // Requested while Postgres shuts down: it waits until everything sent is confirmed.
    if (mustRespond) setImmediate(() => void confirm(false));
  });
  service.on("data", (_lsn, change: unknown) => {
    unanswered = 0;
    const begin = beginSchema.safeParse(change);
    if (begin.success) current = { id: begin.data.xid, messages: [] };
    const insert = insertSchema.safeParse(change);
    if (insert.success) current.messages.push(insert.data.new);
    const isWhole = commitSchema.safeParse(change).success && current.messages.length > 0;
    if (isWhole) visible.push(current, end);
  });
  let probe: NodeJS.Timeout | undefined;
  const started = new Promise<void>((resolve) => service.on("start", () => resolve()));
  signal.addEventListener("abort", end, { once: true });
  const ended = service
    .subscribe(new TemporarySlot(signal), `realtime_${randomBytes(8).toString("hex")}`)
    .finally(async () => {
      clearInterval(probe);
      signal.removeEventListener("abort", end);
      await Promise.all([visible.close(), service.destroy().catch(() => undefined)]);
    });
  const wasStarted = await Promise.race([started.then(() => true), ended.then(() => false)]);
  if (!wasStarted) throw new Error("The database ended the connection before it could be followed");
  probe = setInterval(() => {
    if (unanswered === unansweredMeansLost) return end();
    unanswered += 1;
    void confirm(true);
  }, probeMs);
  return {
    ended: ended.then(
      () => undefined,
      () => undefined,
    ),
  };
}

/** The library confirms one byte more than given, and Postgres, which checks for equality, would wait forever. */
function justBefore(lsn: string): string {
  const [high = "0", low = "0"] = lsn.split("/");
  const position = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
  const before = position > 0n ? position - 1n : 0n;
  return `${(before >> 32n).toString(16)}/${(before & 0xffffffffn).toString(16)}`.toUpperCase();
}

/** pgoutput over a temporary slot that ends with its connection. */
class TemporarySlot extends PgoutputPlugin {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    super({ protoVersion: 1, publicationNames: [publication] });
    this.#signal = signal;
  }

  override async start(client: Client, slotName: string): Promise<unknown> {
    this.#signal.throwIfAborted();
    await client.query(`CREATE_REPLICATION_SLOT "${slotName}" TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`);
    return super.start(client, slotName, "0/0");
  }
}
