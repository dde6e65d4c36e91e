import { z } from "zod";
import type { Delivery, Reader } from "~/realtime/delivery";
import type { ChangeEvent } from "~/wire/events";
import type { Message } from "./encode";

/** A message without its id. `position` is the reader's position in the job output after this message. */
export interface PositionedMessage extends Omit<Message, "id"> {
  position?: string;
}

/** Reader of a stream and expiry of their access, as the database returns them (SQL: private.stream_viewer). */
export const streamViewerSchema = z.object({
  snapshot: z.string().transform((text) => new Snapshot(text)),
  user_id: z.string(),
  session_id: z.string().nullable(),
  token_id: z.string().nullable(),
  expires_at: z.string().nullable(),
});

export function readerOf(viewer: z.output<typeof streamViewerSchema>): Reader {
  return { userId: viewer.user_id, sessionId: viewer.session_id, tokenId: viewer.token_id };
}

/** The state of a stream at one read: what the filter needs, and the greeting. */
export interface StreamState {
  /** Key under which open streams are counted, and their limit if it is not the default. */
  limitKey: string;
  limit?: number;
  /** When access must be checked again. */
  expiresAt: string | null;
  /** What the sweep checks. Absent for streams without a user. */
  access?: Reader & { productId: string | null };
  /** Transactions this state includes. Their events are not sent again. */
  snapshot: Snapshot;
  topics: readonly [string, ...string[]];
  /** `ready` or `state`, and the messages that follow it at once. */
  greeting(resumed: boolean): readonly [PositionedMessage, ...PositionedMessage[]];
  /** False if a reconnecting reader missed job output that cannot be sent completely. */
  mayResume?(): boolean;
  deliver(event: ChangeEvent, topic: string): Delivery;
  /** True if nothing more can happen: the stream sends its greeting and ends. */
  isFinal?: boolean;
}

/** Receives frames from sources other than topics. Their ids hold the hub's cursor at that moment. */
export interface AttachedReader {
  push(frame: Uint8Array): void;
  cursor(): string;
}

/** One kind of stream: how its state is read and how its events are encoded. */
export interface StreamSource {
  /** All streams of a kind share the frames of an event. */
  kind: string;
  /** Name of the message that carries a change. Without it, the message is unnamed. */
  nameOf?(event: ChangeEvent): string | undefined;
  /** Throws `ContractError` if the reader has no access. `position` is the last position of a reconnecting reader. */
  read(position?: string): Promise<StreamState>;
  payload(event: ChangeEvent): Record<string, unknown>;
  /** Starts sending frames from other sources than topics. The returned function stops them. */
  attach?(reader: AttachedReader): () => void;
}

/** Postgres' `xmin:xmax:running,...`: below `xmin` included, from `xmax` on not, between all but the running. */
export class Snapshot {
  readonly #oldest: number;
  readonly #next: number;
  readonly #running: ReadonlySet<number>;

  constructor(text: string) {
    const [oldest = "0", next = "0", running = ""] = text.split(":");
    this.#oldest = Number(oldest);
    this.#next = Number(next);
    this.#running = new Set(running === "" ? [] : running.split(",").map(Number));
  }

  includes(transactionId: number): boolean {
    if (transactionId < this.#oldest) return true;
    return transactionId < this.#next && !this.#running.has(transactionId);
  }
}
