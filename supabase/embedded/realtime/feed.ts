import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "pg";
import { LogicalReplicationService, PgoutputPlugin } from "pg-logical-replication";
import { z } from "zod";
import { VisibleTransactions } from "./visible-transactions";

/** One row of realtime.messages, as it was committed. */
export interface Message {
  topic: string;
  event: string;
  payload: unknown;
  private: boolean;
}

export interface Feed {
  stop(): Promise<void>;
}

export interface FeedListener {
  onMessage(message: Message): void;
  /** Messages may have been missed: whoever listens must read its state again. */
  onInterruption(): void;
  /** The database is followed again. */
  onReturn(): void;
}

const publication = "supabase_realtime_messages_publication";
const probeEvery = 2_000;
/** Questions in a row without an answer. Counted, not timed: a process that was itself held up has asked only once. */
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

/**
 * Follows realtime.messages by logical replication, as hosted Realtime does. The slot is temporary:
 * it ends with the connection, so it can never keep old WAL. A lost connection is announced and made again.
 */
export async function followMessages(databaseUrl: string, listener: FeedListener): Promise<Feed> {
  let stopped = false;
  let current = await openStream(databaseUrl, listener);
  const reopen = async (): Promise<Stream | undefined> => {
    while (!stopped) {
      const stream = await openStream(databaseUrl, listener).catch(() => undefined);
      if (stream) return stream;
      await wait(250);
    }
    return undefined;
  };
  const loop = (async () => {
    while (!stopped) {
      await current.ended;
      listener.onInterruption();
      const next = stopped ? undefined : await reopen();
      if (!next) return;
      current = next;
      listener.onReturn();
    }
  })();
  return {
    async stop() {
      stopped = true;
      await current.close();
      await loop;
    },
  };
}

const beginSchema = z.object({ tag: z.literal("begin"), xid: z.number() });
const commitSchema = z.object({ tag: z.literal("commit") });

interface Stream {
  ended: Promise<void>;
  close(): Promise<void>;
}

async function openStream(databaseUrl: string, listener: FeedListener): Promise<Stream> {
  const service = new LogicalReplicationService(
    { connectionString: databaseUrl, application_name: "backloom realtime", keepAlive: true },
    { acknowledge: { auto: false, timeoutSeconds: 0 } },
  );
  let unanswered = 0;
  const lose = () => void service.destroy();
  const visible = await VisibleTransactions.open<Message>(databaseUrl, listener.onMessage, lose);
  let current: { id: number; messages: Message[] } = { id: 0, messages: [] };
  service.on("error", () => undefined);
  const confirm = (ping: boolean) => service.acknowledge(justBefore(service.lastLsn()), ping);
  service.on("heartbeat", (_lsn, _sentAt, mustRespond: boolean) => {
    unanswered = 0;
    // Asked for while Postgres shuts down: it waits until everything sent is confirmed.
    if (mustRespond) setImmediate(() => void confirm(false));
  });
  service.on("data", (_lsn, change: unknown) => {
    unanswered = 0;
    const begin = beginSchema.safeParse(change);
    if (begin.success) current = { id: begin.data.xid, messages: [] };
    const insert = insertSchema.safeParse(change);
    if (insert.success) current.messages.push(insert.data.new);
    const isWhole = commitSchema.safeParse(change).success && current.messages.length > 0;
    if (isWhole) visible.push(current, lose);
  });
  const started = new Promise<void>((resolve) => service.on("start", () => resolve()));
  const streaming = service.subscribe(
    new TemporarySlot(),
    `realtime_${randomBytes(8).toString("hex")}`,
  );
  const finished = streaming.then(
    () => undefined,
    () => undefined,
  );
  const probe = setInterval(() => {
    if (unanswered === unansweredMeansLost) return void service.destroy();
    unanswered += 1;
    void confirm(true);
  }, probeEvery);
  const ended = finished.finally(() => {
    clearInterval(probe);
    void visible.close();
    return service.destroy().catch(() => undefined);
  });
  await Promise.race([started, streaming]);
  return {
    ended: ended.then(() => undefined),
    async close() {
      await service.destroy();
      await ended;
    },
  };
}

/**
 * The library confirms one byte more than it is told. Postgres compares for equality before it stops, so it would
 * wait for ever; one byte less makes it right again.
 */
function justBefore(lsn: string): string {
  const [high = "0", low = "0"] = lsn.split("/");
  const position = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
  const before = position > 0n ? position - 1n : 0n;
  return `${(before >> 32n).toString(16)}/${(before & 0xffffffffn).toString(16)}`.toUpperCase();
}

/** pgoutput over a slot that lives and dies with its connection. */
class TemporarySlot extends PgoutputPlugin {
  constructor() {
    super({ protoVersion: 1, publicationNames: [publication] });
  }

  override async start(client: Client, slotName: string): Promise<unknown> {
    await client.query(
      `CREATE_REPLICATION_SLOT "${slotName}" TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`,
    );
    return super.start(client, slotName, "0/0");
  }
}
