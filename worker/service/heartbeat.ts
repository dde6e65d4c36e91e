import { setTimeout as wait } from "node:timers/promises";
import { heartbeatAnswerSchema, type UsageSoFar } from "~/wire/agent-jobs/contract";
import type { PersonMessage } from "~/wire/comments/contract";
import type { JobPayload } from "~/wire/workers/contract";
import type { Journal } from "../base/journal";
import { AttemptOver, messageOf, Refusal, TakenOver } from "../base/problems";
import type { Service } from "./service";

/** Keeps the lease of a job while it runs. */
export interface Heartbeat {
  /** Aborted when the service says stop, or the worker is asked to end. */
  signal: AbortSignal;
  /** Sends a heartbeat now; throws if the attempt is over. Call it before anything leaves this machine. */
  confirm(): Promise<void>;
  /** Says whether a tool call of the agent runs, which a person who takes the job over waits for. */
  setBusy(isBusy: boolean): void;
  end(): void;
}

/** People's messages to the agent: they come with the answers, and ids the agent has seen go out with the next beats. */
export interface DeliveredMessages {
  /** Adds messages from the service; duplicates are ignored. */
  arrive(messages: readonly PersonMessage[]): void;
  /** Ids the agent has seen. Each heartbeat sends them until the service confirms. */
  toConfirm(): string[];
  confirmed(ids: readonly string[]): void;
  /** Called when there is something to confirm. */
  onSeen: () => void;
}

interface HeartbeatOptions {
  service: Service;
  job: JobPayload;
  seconds: number;
  readQuota: () => Promise<number | undefined>;
  journal: Journal;
  stopSignal: AbortSignal;
  soFar: UsageSoFar;
  messages: DeliveredMessages;
  url: string;
  token: string;
}

/** An unavailable service does not end the work. One beat at a time, so that the first reason to stop counts. */
export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { service, job, journal, stopSignal, soFar, messages } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stopSignal]);
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  let isRequested = false;
  let isBusy = false;
  let taken: TakenOver | null = null;
  const inTurn = oneAtATime();

  const beat = async (retry: boolean): Promise<void> => {
    const quota_pct = await options.readQuota();
    const reported = soFar.models.length > 0 ? { usage: { ...soFar } } : {};
    const seen_messages = messages.toConfirm();
    const given = { job_id: job.id, attempt: job.attempt, quota_pct, ...reported, seen_messages };
    const answer = await service.call("job_heartbeat", given, heartbeatAnswerSchema, { retry, signal });
    messages.confirmed(seen_messages);
    if (answer.action !== "stop") messages.arrive(answer.messages ?? []);
    if (answer.action === "pause") journal.sayOnce(`The run is paused; this job is finished first`);
    if (answer.reason?.code === "held") {
      journal.sayOnce(answer.reason.message);
      taken = new TakenOver(answer.reason.message);
      if (!isBusy) over.abort(taken);
    }
    if (answer.reason?.code === "held_at_once") over.abort(new TakenOver(answer.reason.message));
    if (answer.action === "stop") {
      const reason = answer.reason?.message ?? `the job is ${answer.status}`;
      over.abort(new AttemptOver(`Told to stop: ${reason}`));
    }
  };

  const beatNow = async (): Promise<void> => {
    // A beat that waits for its turn will cover this one.
    if (isRequested) return;
    isRequested = true;
    await inTurn(async () => {
      isRequested = false;
      if (!signal.aborted && !hasEnded) await beat(false);
    }).catch((error: unknown) => {
      if (error instanceof Refusal) over.abort(new AttemptOver(error.message));
      else if (!signal.aborted && !hasEnded) journal.sayOnce(`Heartbeats are failing: ${messageOf(error)}`);
    });
  };

  const beatAgain = (): void => {
    timer = setTimeout(() => {
      void beatNow().finally(() => {
        if (!signal.aborted && !hasEnded) beatAgain();
      });
    }, options.seconds * 1000);
  };
  beatAgain();
  const unwatch = watchJob(options, () => void beatNow());
  messages.onSeen = () => void beatNow();

  return {
    signal,
    async confirm() {
      await inTurn(() => beat(true));
      signal.throwIfAborted();
    },
    setBusy(busy) {
      isBusy = busy;
      if (!busy && taken !== null) over.abort(taken);
    },
    end() {
      hasEnded = true;
      messages.onSeen = () => undefined;
      clearTimeout(timer);
      unwatch();
    },
  };
}

/** Runs each task after the previous one has ended or failed. */
function oneAtATime(): (work: () => Promise<void>) => Promise<void> {
  let latest: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = latest.then(work);
    latest = turn.catch(() => undefined);
    return turn;
  };
}

const pauseMilliseconds = 2_000;
/** `state` is the greeting: changes before it, since the claim or while disconnected, must be fetched. */
const news = new Set(["event: job", "event: state"]);

/** A cancel reaches the agent within seconds. Only a hint: the heartbeat fetches the truth, with or without. */
function watchJob(
  { url, token, job }: Pick<HeartbeatOptions, "url" | "token" | "job">,
  onChange: () => void,
): () => void {
  const closing = new AbortController();
  const address = new URL(`/api/realtime/job?job_id=${job.id}&output=0`, url);
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const listen = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const answer = await fetch(address, { headers, signal: closing.signal }).catch(() => null);
      if (answer !== null && answer.status < 500 && answer.status !== 429 && !answer.ok) return;
      if (answer?.ok && answer.body) await readEvents(answer.body, onChange).catch(() => undefined);
      await wait(pauseMilliseconds, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  };
  void listen();
  return () => closing.abort();
}

async function readEvents(body: ReadableStream<Uint8Array>, onChange: () => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = `${rest}${decoder.decode(part.value, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    if (lines.some((line) => news.has(line))) onChange();
  }
}
