import { heartbeatAnswerSchema, type UsageSoFar } from "~/contract/agent-job";
import type { JobPayload } from "~/contract/worker";
import type { Messages } from "../job/messages";
import type { Journal } from "./journal";
import { AttemptOver, messageOf, Refusal } from "./problems";
import type { Service } from "./service";

/** Keeps the lease of a job while it is worked on. */
export interface Heartbeat {
  /** Aborted when the service says stop, or the worker is asked to end. */
  signal: AbortSignal;
  /** Asks at once; throws when the attempt is over. Used before anything leaves this machine. */
  confirm(): Promise<void>;
  end(): void;
}

interface HeartbeatWish {
  service: Service;
  job: JobPayload;
  seconds: number;
  readQuota: () => Promise<number | undefined>;
  journal: Journal;
  stopSignal: AbortSignal;
  /** What the attempt has used and not told yet, as it is at each beat. */
  soFar: UsageSoFar;
  /** What people write to the agent comes with the answers; what it has seen of that goes with the next beats. */
  messages: Pick<Messages, "arrive" | "toConfirm" | "confirmed" | "onSeen">;
  /** Calls back when the job may have changed; the returned function ends that. */
  watch: (onChange: () => void) => () => void;
}

/**
 * Beats on a clock of its own; a service that is away for a while does not end the work. One beat is under way at a time: the
 * reason to stop that the service gives first is the one that is heard.
 */
export function startHeartbeat(wish: HeartbeatWish): Heartbeat {
  const { service, job, journal, stopSignal, soFar, messages } = wish;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stopSignal]);
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  let isAsked = false;
  const inTurn = oneAtATime();

  const beat = async (retry: boolean): Promise<void> => {
    const quota_pct = await wish.readQuota();
    const told = soFar.models.length > 0 ? { usage: { ...soFar } } : {};
    const seen_messages = messages.toConfirm();
    const given = {
      ...{ job_id: job.id, attempt: job.attempt, quota_pct, ...told },
      seen_messages,
    };
    const answer = await service.call("job_heartbeat", given, heartbeatAnswerSchema, {
      retry,
      signal,
    });
    messages.confirmed(seen_messages);
    if (answer.action !== "stop") messages.arrive(answer.messages ?? []);
    if (answer.action === "pause") journal.sayOnce(`The run is paused; this job is finished first`);
    if (answer.action === "stop") {
      const reason = answer.reason?.message ?? `the job is ${answer.status}`;
      over.abort(new AttemptOver(`Told to stop: ${reason}`));
    }
  };

  const beatNow = async (): Promise<void> => {
    // The one that waits for its turn asks later than this.
    if (isAsked) return;
    isAsked = true;
    await inTurn(async () => {
      isAsked = false;
      if (!signal.aborted && !hasEnded) await beat(false);
    }).catch((error: unknown) => {
      if (error instanceof Refusal) over.abort(new AttemptOver(error.message));
      else if (!signal.aborted) journal.sayOnce(`Heartbeats are failing: ${messageOf(error)}`);
    });
  };

  const beatAgain = (): void => {
    timer = setTimeout(() => {
      void beatNow().finally(() => {
        if (!signal.aborted && !hasEnded) beatAgain();
      });
    }, wish.seconds * 1000);
  };
  beatAgain();
  const unwatch = wish.watch(() => void beatNow());
  messages.onSeen = () => void beatNow();

  return {
    signal,
    async confirm() {
      await inTurn(() => beat(true));
      signal.throwIfAborted();
    },
    end() {
      hasEnded = true;
      messages.onSeen = () => undefined;
      clearTimeout(timer);
      unwatch();
    },
  };
}

/** Each piece of work begins when the one before it is over, however that ended. */
function oneAtATime(): (work: () => Promise<void>) => Promise<void> {
  let latest: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = latest.then(work);
    latest = turn.catch(() => undefined);
    return turn;
  };
}
