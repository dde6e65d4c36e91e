/**
 * The response of the front, as a stream writes to it: straight to the socket, so the bytes that a slow
 * reader leaves waiting can be counted. The adapter between Remix and Express ignores back-pressure.
 */
export interface ResponseSink {
  /** Sends status and headers now; from here on only the stream writes, and the loader's answer is dropped. */
  open(status: number, headers: Record<string, string>): void;
  /** True once `open` was called: the front then leaves the response alone. */
  readonly opened: boolean;
  write(chunk: Uint8Array): void;
  /** Bytes accepted by `write` that the reader has not taken yet. */
  waitingBytes(): number;
  /** Ends the response cleanly. */
  end(): void;
  /** Cuts the connection: the reader does not take what was written. */
  destroy(): void;
}
