import { z } from "zod";
import type { ChangeEvent } from "~/contract/events";
import type { Delivery, Reader } from "~/realtime/delivery";
import { Snapshot } from "~/realtime/snapshot";
import type { Message } from "./encode";

/** A message before it has its id; `place` is how far it brings the reader in what comes beside the events. */
export interface PlacedMessage extends Omit<Message, "id"> {
  place?: string;
}

/** Who reads a stream and until when, as the database says it (SQL: private.stream_viewer). */
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

/** The state of a stream as it was read: what the filter needs, and what the stream says first. */
export interface StreamState {
  /** Whose streams are counted together, and how many may be open at once when it is not the usual limit. */
  limitKey: string;
  limit?: number;
  /** When the right to read must be looked at again. */
  expiresAt: string | null;
  /** What the sweep checks beside the events; none for a stream without a user. */
  access?: Reader & { productId: string | null };
  /** What this state shows already; events of it are not sent again. */
  snapshot?: Snapshot;
  topics: readonly [string, ...string[]];
  /** `ready` or `state`, with what follows it at once. */
  greeting(resumed: boolean): readonly [PlacedMessage, ...PlacedMessage[]];
  /** False when a reader who comes back cannot be given what they missed beside the events. */
  mayResume?(): boolean;
  deliver(event: ChangeEvent, topic: string): Delivery;
  /** True when nothing more can come: the stream says its greeting and ends. */
  isFinal?: boolean;
}

/** Takes frames that come from elsewhere than the topics; their ids hold the cursor of their moment. */
export interface AttachedReader {
  push(frame: Uint8Array): void;
  cursor(): string;
}

/** One kind of stream: how its state is read and what an event looks like on it. */
export interface StreamSource {
  /** Frames of an event are shared by all streams of a kind. */
  kind: string;
  /** The name of the event that carries a change; without one it is unnamed. */
  nameOf?(event: ChangeEvent): string | undefined;
  /** Throws `ContractError` when the reader has no access (any more). `place` is where a reader who comes back stood. */
  read(place?: string): Promise<StreamState>;
  payload(event: ChangeEvent): Record<string, unknown>;
  /** Frames that come from elsewhere than the topics, from the first state on; the returned function ends them. */
  attach?(reader: AttachedReader): () => void;
}
