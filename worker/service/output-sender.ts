import { setTimeout as wait } from "node:timers/promises";
import type { Journal } from "../base/journal";
import { messageOf } from "../base/problems";
import { sendable } from "../base/sendable";
import type { Entry } from "../base/transcript";

/** Live output of an attempt. Never delays the work, and never fails it. */
export interface AttemptOutput {
  /** Adds an entry, with its number and time. */
  add(entry: Entry): void;
  /** Within a time limit. Call it before a report that may end the attempt: the next one may start then. */
  flush(): Promise<void>;
  /** Sends the rest, then accepts no more. */
  close(): Promise<void>;
}

type SentEntry = Entry & { seq: number; at: string };

interface OutputOptions {
  url: string;
  token: string;
  jobId: string;
  attempt: number;
  journal: Journal;
  clean: (text: string) => string;
}

/** The service notifies viewers about once a second. Entries sent in separate batches are passed on at once. */
const batchMilliseconds = 1_000;
/** Entries within this time are sent together. */
const gatherMilliseconds = 100;
/** An entry fits into a batch, no matter how many bytes its characters take. */
const longestText = 20_000;
const longestPause = 15_000;
const closingMilliseconds = 5_000;

/** Appends an attempt's entries to its job, in batches. */
export function openOutput(options: OutputOptions): AttemptOutput {
  const address = new URL(`/api/jobs/${options.jobId}/output`, options.url);
  const waiting = new WaitingEntries();
  let seq = 0;
  let lastSent = 0;
  let isOver = false;
  let sending: Promise<void> | undefined;
  let hurry = new AbortController();

  const send = async (): Promise<void> => {
    let failures = 0;
    const sinceLast = Date.now() - lastSent;
    await pause(Math.max(gatherMilliseconds, batchMilliseconds - sinceLast), hurry.signal);
    while (!waiting.isEmpty && !isOver) {
      const batch = waiting.nextBatch();
      lastSent = Date.now();
      const answer = await post(address, options, batch).catch((error: unknown) => {
        options.journal.sayOnce(`The agent's output could not be sent (${messageOf(error)})`);
        return null;
      });
      if (answer?.ok) {
        failures = 0;
        waiting.forget(batch.at(-1)?.seq ?? 0);
      } else if (answer !== null && answer.status < 500 && answer.status !== 429) {
        // The attempt is over, or the service has no output: no one would see more.
        isOver = true;
      } else {
        failures += 1;
        await pause(Math.min(longestPause, 500 * 2 ** failures), hurry.signal);
        if (hurry.signal.aborted && failures > 3) return;
      }
    }
  };

  const sendSoon = (): Promise<void> => {
    sending ??= send().finally(() => {
      sending = undefined;
    });
    return sending;
  };

  const flush = async (): Promise<void> => {
    hurry.abort();
    const late = wait(closingMilliseconds, undefined, { ref: false });
    const rest = async (): Promise<void> => {
      await sending;
      if (!waiting.isEmpty && !isOver) await sendSoon();
    };
    await Promise.race([rest(), late]);
  };

  return {
    add(entry) {
      seq += 1;
      const { title } = entry;
      const text = sendable(options.clean(entry.text), longestText);
      const numbered = { ...entry, seq, at: new Date().toISOString(), text };
      if (title !== undefined) numbered.title = sendable(options.clean(title), 500);
      waiting.add(numbered);
      void sendSoon();
    },
    async flush() {
      await flush();
      hurry = new AbortController();
    },
    async close() {
      await flush();
      isOver = true;
    },
  };
}

function post(address: URL, { token, attempt }: OutputOptions, entries: SentEntry[]): Promise<Response> {
  return fetch(address, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ attempt, entries }),
    signal: AbortSignal.timeout(20_000),
  });
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}

const batchBytes = 60_000;
const batchEntries = 500;
/** Limit while the service is unavailable; beyond it the oldest entries are dropped. */
const keptBytes = 5 * 1024 * 1024;

class WaitingEntries {
  #waiting: { entry: SentEntry; bytes: number }[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(entry: SentEntry): void {
    const bytes = Buffer.byteLength(JSON.stringify(entry));
    this.#waiting.push({ entry, bytes });
    this.#bytes += bytes;
    while (this.#bytes > keptBytes) this.forget(this.#waiting[0]?.entry.seq ?? entry.seq);
  }

  /** The oldest entries that fit into a batch; at least one. */
  nextBatch(): SentEntry[] {
    let bytes = 0;
    const batch: SentEntry[] = [];
    for (const { entry, bytes: size } of this.#waiting) {
      bytes += size;
      if (batch.length > 0 && (bytes > batchBytes || batch.length === batchEntries)) break;
      batch.push(entry);
    }
    return batch;
  }

  /** By number, not count: the oldest may have been dropped while being sent. */
  forget(lastSeq: number): void {
    this.#waiting = this.#waiting.filter(({ entry }) => entry.seq > lastSeq);
    this.#bytes = this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
