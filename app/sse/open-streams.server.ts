import type { Logger } from "pino";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import type { StreamLimits } from "~/env-limits.server";
import { ContractError } from "~/wire/errors";
import { JobOutputs } from "./job-outputs";
import type { StreamState } from "./stream-source";
import { WriteTick } from "./write-tick";

export interface OpenStream {
  readonly access: StreamState["access"];
  readonly expiresAt: string | null;
  /** Reads the state again. The stream ends if its reader has lost access. */
  recheck(): void;
  /** Ends the stream cleanly. */
  end(): void;
}

interface OpenStreamsOptions {
  limits: StreamLimits;
  database: Database;
  log: Logger;
  /** How often all readers' access is checked, in addition to the events that end it. */
  sweepMs?: number;
}

/** The open streams of this process: their limits, their shared write tick, and the sweep that checks access. */
export class OpenStreams {
  readonly limits: StreamLimits;
  readonly tick = new WriteTick();
  /** Agent output, read once for all viewers in this process. */
  readonly outputs = new JobOutputs();
  readonly #options: Required<OpenStreamsOptions>;
  readonly #open = new Set<OpenStream>();
  readonly #counts = new Map<string, number>();
  readonly #stopSignals = new WeakSet<AbortSignal>();
  #taken = 0;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: OpenStreamsOptions) {
    this.limits = options.limits;
    this.#options = { sweepMs: 4000, ...options };
  }

  get count(): number {
    return this.#taken;
  }

  /** Takes a slot for a stream of this reader, or throws 429. The returned function frees it. */
  take(key: string, limit = this.limits.perUser): () => void {
    const taken = this.#counts.get(key) ?? 0;
    if (taken >= limit) {
      throw new ContractError(429, `At most ${limit} streams can be open at once here; close one first.`, {
        retryAfter: 5,
      });
    }
    if (this.#taken >= this.limits.perProcess) {
      throw new ContractError(429, "This server has no stream left; try again soon.", { retryAfter: 5 });
    }
    this.#counts.set(key, taken + 1);
    this.#taken += 1;
    return () => this.#giveBack(key);
  }

  #giveBack(key: string): void {
    const left = (this.#counts.get(key) ?? 1) - 1;
    if (left === 0) this.#counts.delete(key);
    else this.#counts.set(key, left);
    this.#taken -= 1;
  }

  add(stream: OpenStream): void {
    this.#open.add(stream);
    this.#sweep ??= setInterval(() => void this.#recheck(), this.#options.sweepMs).unref();
  }

  delete(stream: OpenStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  /** Ends all streams when the process stops, with one listener for all of them. */
  endOn(stopSignal: AbortSignal): void {
    if (this.#stopSignals.has(stopSignal)) return;
    this.#stopSignals.add(stopSignal);
    stopSignal.addEventListener("abort", () => {
      for (const stream of this.#open) stream.end();
    });
  }

  /** Needed because access also expires without an event, and a lost event must not keep a stream open. */
  async #recheck(): Promise<void> {
    const now = Date.now();
    for (const stream of this.#open) {
      if (stream.expiresAt !== null && Date.parse(stream.expiresAt) <= now) stream.recheck();
    }
    try {
      const lost = await findLostViewers(this.#options.database, [...this.#open]);
      for (const stream of lost) stream.recheck();
    } catch (error) {
      this.#options.log.warn({ err: error }, "The rights of open streams could not be checked");
    }
  }
}

async function findLostViewers<T extends Pick<StreamState, "access">>(
  database: Database,
  streams: readonly T[],
): Promise<T[]> {
  const byViewer = new Map<string, T[]>();
  for (const stream of streams) {
    if (!stream.access) continue;
    const { userId, sessionId, tokenId, productId } = stream.access;
    const viewer = JSON.stringify([userId, sessionId, tokenId, productId]);
    const same = byViewer.get(viewer);
    if (same) same.push(stream);
    else byViewer.set(viewer, [stream]);
  }
  if (byViewer.size === 0) return [];

  const viewers = [...byViewer.keys()].map((viewer): unknown => JSON.parse(viewer));
  const lost = await callService(database, "find_lost_viewers", { p_viewers: viewers }, z.array(z.number().int()));
  const groups = [...byViewer.values()];
  return lost.flatMap((position) => groups[position] ?? []);
}
