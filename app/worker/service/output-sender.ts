import { setTimeout as wait } from "node:timers/promises";
import type { Entry } from "../agents/driver";
import type { Journal } from "./journal";
import { messageOf } from "./problems";
import { sendable } from "./sendable";
import { WaitingEntries } from "./waiting-entries";

/** What an attempt shows of itself while it works. Showing it never holds the work up, and never fails it. */
export interface AttemptOutput {
  /** The next entry of the attempt; it gets its number here. */
  add(entry: Omit<Entry, "seq">): void;
  /** Sends what waits, for as long as that makes sense: before a word that may end the attempt, after which the next one may begin. */
  flush(): Promise<void>;
  /** Sends what is left, and takes no more. */
  close(): Promise<void>;
}

interface OutputWish {
  url: string;
  token: string;
  jobId: string;
  attempt: number;
  journal: Journal;
  clean: (text: string) => string;
}

/** The service tells those who watch about once a second: what comes in a batch of its own is told at once. */
const batchMilliseconds = 1_000;
/** What is said together goes together. */
const gatherMilliseconds = 100;
/** However many bytes its letters take, an entry fits into a batch. */
const longestText = 20_000;
const longestPause = 15_000;
const closingMilliseconds = 5_000;

/** Appends the entries of an attempt to its job, in batches. */
export function openOutput(wish: OutputWish): AttemptOutput {
  const address = new URL(`/api/jobs/${wish.jobId}/output`, wish.url);
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
      const answer = await post(address, wish, batch).catch((error: unknown) => {
        wish.journal.sayOnce(`What the agent says does not arrive (${messageOf(error)})`);
        return null;
      });
      if (answer?.ok) {
        failures = 0;
        waiting.forget(batch.at(-1)?.seq ?? 0);
      } else if (answer !== null && answer.status < 500 && answer.status !== 429) {
        // The attempt is over, or the service knows no output: nobody would see what comes.
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
      const text = sendable(wish.clean(entry.text), longestText);
      const numbered = { ...entry, seq, text };
      if (title !== undefined) numbered.title = sendable(wish.clean(title), 500);
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

function post(address: URL, { token, attempt }: OutputWish, entries: Entry[]): Promise<Response> {
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
