/** Writes a stream straight to the response, because Remix's adapter ignores back-pressure. */
export interface ResponseSink {
  /** Sends status and headers at once. The front sends nothing after that. */
  open(status: number, headers: Readonly<Record<string, string | readonly string[]>>): void;
  readonly opened: boolean;
  /** Returns false if the reader lags. `waitingBytes` says by how much. */
  write(chunk: string | Uint8Array): boolean;
  /** Bytes accepted but not yet handed to the operating system. */
  waitingBytes(): number;
  /** Ends the response cleanly. */
  end(): void;
  /** Closes the connection at once. */
  destroy(): void;
}
