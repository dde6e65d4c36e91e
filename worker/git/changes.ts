import { setTimeout as wait } from "node:timers/promises";
import type { DiffFile } from "~/wire/agent-jobs/job-diff";
import type { Journal } from "../base/journal";
import { messageOf } from "../base/problems";
import { git } from "./git";
import { readDiff } from "./read-diff";
import type { Rules } from "./rules";

/** Shows people what an attempt has changed. Never delays the work for long, and never fails it. */
export interface Changes {
  /** Sets the folder and the commit at which the attempt's work begins, and the rules of the repository. */
  begin(folder: string, base: string, rules: Rules): void;
  /** Sends the changes so far, once per commit. */
  send(): Promise<void>;
  /** Sends at the end if nothing was sent before. Otherwise a branch that has moved on could bring in others' work. */
  sendLast(): Promise<void>;
}

interface ChangesOptions {
  url: string;
  token: string;
  jobId: string;
  attempt: number;
  clean: (text: string) => string;
  journal: Journal;
}

const tries = 3;

export function openChanges(options: ChangesOptions): Changes {
  let range: { folder: string; base: string; rules: Rules } | null = null;
  let sentHead: string | null = null;
  const send = async (): Promise<void> => {
    if (range === null) return;
    const { folder, base, rules } = range;
    try {
      const head = await git(folder, "rev-parse", "HEAD");
      if (head === (sentHead ?? base)) return;
      sentHead = head;
      const files = await readDiff(folder, base, head);
      if (files.length === 0) return;
      const { review_marks } = rules;
      const changes = { base_sha: base, head_sha: head, files: cleaned(options, files) };
      await put(options, { ...changes, review_marks });
    } catch (error) {
      options.journal.say(`The changes could not be sent: ${messageOf(error)}`);
    }
  };
  return {
    begin(folder, base, rules) {
      range = { folder, base, rules };
    },
    send,
    sendLast: () => (sentHead === null ? send() : Promise.resolve()),
  };
}

/** Redacts secrets in patches. Line numbers stay the same. */
function cleaned({ clean }: ChangesOptions, files: readonly DiffFile[]): DiffFile[] {
  return files.map((file) => {
    if (file.patch === undefined) return file;
    const patch = clean(file.patch.replace(privateKey, hiddenLines));
    // A redacted patch is marked truncated, because it must not be applied.
    return patch === file.patch ? file : { ...file, patch, truncated: true };
  });
}

const privateKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g;

function hiddenLines(block: string): string {
  return block.replace(/^.*$/gm, (line, offset: number) => (offset === 0 ? "•••" : `${line.slice(0, 1)}•••`));
}

async function put(options: ChangesOptions, diff: Record<string, unknown>): Promise<void> {
  const address = new URL(`/api/jobs/${options.jobId}/diff`, options.url);
  const body = JSON.stringify({ attempt: options.attempt, ...diff });
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(address, {
      method: "PUT",
      headers: { authorization: `Bearer ${options.token}`, "content-type": "application/json" },
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
