import { setTimeout as wait } from "node:timers/promises";
import type { DiffFile } from "~/contract/job-diff";
import type { Journal } from "../service/journal";
import { messageOf } from "../service/problems";
import { git } from "./git";
import { readDiff } from "./read-diff";

/** Shows people what an attempt has changed. Showing it never holds the work up for long, and never fails it. */
export interface Changes {
  /** Where the work of the attempt begins, and where it lies. */
  begin(folder: string, base: string): void;
  /** Sends what has changed until now; the same commit is sent once. */
  send(): Promise<void>;
  /** The same at the very end, when nothing was sent before: a branch that moved on meanwhile brings the work of others along. */
  sendLast(): Promise<void>;
}

interface ChangesWish {
  url: string;
  token: string;
  jobId: string;
  attempt: number;
  clean: (text: string) => string;
  journal: Journal;
}

const tries = 3;

export function openChanges(wish: ChangesWish): Changes {
  let place: { folder: string; base: string } | null = null;
  let sentHead: string | null = null;
  const send = async (): Promise<void> => {
    if (place === null) return;
    const { folder, base } = place;
    try {
      const head = await git(folder, "rev-parse", "HEAD");
      if (head === (sentHead ?? base)) return;
      sentHead = head;
      const files = await readDiff(folder, base, head);
      if (files.length === 0) return;
      await put(wish, { base_sha: base, head_sha: head, files: cleaned(wish, files) });
    } catch (error) {
      wish.journal.say(`The changes could not be sent: ${messageOf(error)}`);
    }
  };
  return {
    begin(folder, base) {
      place = { folder, base };
    },
    send,
    sendLast: () => (sentHead === null ? send() : Promise.resolve()),
  };
}

/** No secret leaves this machine in a patch either; each line keeps its place. */
function cleaned({ clean }: ChangesWish, files: readonly DiffFile[]): DiffFile[] {
  return files.map((file) => {
    if (file.patch === undefined) return file;
    const patch = clean(file.patch.replace(privateKey, hiddenLines));
    // What is shown is no longer what git wrote, so that nobody shall apply it.
    return patch === file.patch ? file : { ...file, patch, truncated: true };
  });
}

const privateKey =
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g;

function hiddenLines(block: string): string {
  return block.replace(/^.*$/gm, (line, offset: number) =>
    offset === 0 ? "•••" : `${line.slice(0, 1)}•••`,
  );
}

async function put(wish: ChangesWish, diff: Record<string, unknown>): Promise<void> {
  const address = new URL(`/api/jobs/${wish.jobId}/diff`, wish.url);
  const body = JSON.stringify({ attempt: wish.attempt, ...diff });
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(address, {
      method: "PUT",
      headers: { authorization: `Bearer ${wish.token}`, "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(30_000),
    }).catch((error: unknown) => (attempt < tries ? null : Promise.reject(error)));
    if (answer?.ok || answer?.status === 409) return;
    const isPassing = answer === null || answer.status >= 500 || answer.status === 429;
    if (!isPassing || attempt === tries) {
      throw new Error(`The service answered ${answer?.status ?? "nothing"}`);
    }
    await wait(500 * 2 ** attempt);
  }
}
