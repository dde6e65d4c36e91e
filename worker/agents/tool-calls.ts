import type { EntryKind, Transcript } from "../base/transcript";

export interface KnownCall {
  kind: EntryKind;
  title: string;
  path?: string | undefined;
  /** Text of the entry for its start. */
  intent?: string | undefined;
}

/** Logs each call's start and end once, even if the agent repeats them. */
export interface CallLog {
  begin(id: string, call: KnownCall): void;
  end(id: string, call: KnownCall, status: "done" | "failed", output: string): void;
  running(): string | null;
}

export function openCallLog(transcript: Transcript): CallLog {
  const begun = new Map<string, KnownCall>();
  const over = new Set<string>();
  return {
    begin(id, call) {
      if (begun.has(id) || over.has(id)) return;
      begun.set(id, call);
      transcript.add({ ...shown(call), text: call.intent ?? "", status: "running" });
    },
    end(id, call, status, output) {
      if (over.has(id)) return;
      over.add(id);
      begun.delete(id);
      transcript.add({ ...shown(call), text: output, status });
    },
    running: () => [...begun.values()].at(-1)?.title ?? null,
  };
}

function shown({ kind, title, path }: KnownCall) {
  return { kind, title, ...(path === undefined ? {} : { path }) };
}

/** Removed and added lines, without the common lines at both ends. */
export function describeChange(before: string | null | undefined, after: string): string {
  const old = before ? before.split("\n") : [];
  const fresh = after.split("\n");
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  ) {
    tail += 1;
  }
  const removed = old.slice(head, old.length - tail).map((line) => `-${line}`);
  const added = fresh.slice(head, fresh.length - tail).map((line) => `+${line}`);
  return [...removed, ...added].join("\n");
}
