import { useCallback, useEffect, useRef, useState } from "react";
import { isFields, type LiveStatus } from "~/live/signal";
import { useLiveStream } from "~/live/use-live-stream";
import type { JobOutput, OutputEntry } from "~/wire/agent-jobs/job-output";

type OutputMessage = { attempt: number; entries: readonly OutputEntry[] };

interface JobStreamOptions {
  onOutput: (output: OutputMessage) => void;
  onJob: () => void;
  /** Refetch: first `ready`, reconnect, tab visible again. */
  onResync: () => void;
}

/** Subscribes to one job: its changes and its agent's output. */
export function useJobStream(jobId: string, { onOutput, onJob, onResync }: JobStreamOptions): LiveStatus {
  return useLiveStream({
    url: `/api/realtime/job?job_id=${jobId}`,
    onVisible: onResync,
    onSignal(signal) {
      if (signal.type === "named" && signal.name === "ready") onResync();
      if (signal.type !== "change") return;
      if (isOutput(signal.data)) onOutput(signal.data);
      else onJob();
    },
  });
}

function isOutput(data: unknown): data is OutputMessage {
  return isFields(data) && typeof data.attempt === "number" && Array.isArray(data.entries);
}

interface LiveOutput {
  entries: readonly OutputEntry[];
  earlier: number;
  loadEarlier: () => Promise<void>;
  /** Why earlier entries failed to load. */
  problem: string | null;
}

/** Returns an agent's output: the page's entries, then live ones. Gaps in `seq` are refetched. */
export function useJobOutput(initial: JobOutput, onChange: () => void): LiveOutput {
  const { job_id: jobId, attempt } = initial;
  const [entries, setEntries] = useState(initial.entries);
  const [problem, setProblem] = useState<string | null>(null);
  const known = useRef(initial.entries);
  const show = useCallback((more: readonly OutputEntry[]) => {
    known.current = merge(known.current, more);
    setEntries([...known.current]);
  }, []);

  useEffect(() => {
    known.current = merge(known.current, initial.entries);
    setEntries([...known.current]);
  }, [initial.entries]);

  const catchUp = useCallback(async () => {
    if (attempt === null) return;
    const after = known.current.at(-1)?.seq ?? 0;
    const more = await readEntries(jobId, attempt, `after=${after}&limit=5000`);
    if (more) show(more);
  }, [jobId, attempt, show]);

  useJobStream(jobId, {
    onResync: () => void catchUp(),
    onJob: onChange,
    onOutput: (output) => {
      if (output.attempt !== attempt) {
        onChange();
        return;
      }
      const last = known.current.at(-1)?.seq ?? 0;
      const first = output.entries[0]?.seq ?? last + 1;
      if (first > last + 1) void catchUp();
      else show(output.entries);
    },
  });

  const firstSeq = entries[0]?.seq ?? 1;
  const loadEarlier = useCallback(async () => {
    if (attempt === null) return;
    const before = await readBefore(jobId, attempt, known.current[0]?.seq ?? 1);
    setProblem(before ? null : "Earlier entries could not be loaded. Try again in a moment.");
    if (before) show(before);
  }, [jobId, attempt, show]);
  return { entries, earlier: firstSeq - 1, loadEarlier, problem };
}

/** Fetches all entries before `seq`, in pages: a long transcript does not fit in one response. */
async function readBefore(jobId: string, attempt: number, seq: number): Promise<OutputEntry[] | undefined> {
  const entries: OutputEntry[] = [];
  for (let after = 0; after < seq - 1; ) {
    const more = await readEntries(jobId, attempt, `after=${after}&limit=5000`);
    if (!more) return;
    entries.push(...more);
    const last = more.at(-1);
    if (!last) break;
    after = last.seq;
  }
  return entries;
}

async function readEntries(jobId: string, attempt: number, query: string): Promise<OutputEntry[] | undefined> {
  const address = `/api/jobs/${jobId}/output?attempt=${attempt}&${query}`;
  const answer = await fetch(address).catch(() => undefined);
  if (!answer?.ok) return;
  const output: JobOutput = await answer.json();
  return output.entries;
}

/** Merges two lists by `seq`, without duplicates. */
function merge(known: readonly OutputEntry[], more: readonly OutputEntry[]): OutputEntry[] {
  const last = known.at(-1)?.seq ?? 0;
  const first = more[0]?.seq ?? 0;
  if (first > last) return [...known, ...more];
  const bySeq = new Map([...known, ...more].map((entry) => [entry.seq, entry]));
  return [...bySeq.values()].sort((one, other) => one.seq - other.seq);
}
