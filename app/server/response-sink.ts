import type { ServerResponse } from "node:http";
import type { ResponseSink } from "./load-context";

/** How long a reader may take for the last bytes of an ended stream. */
const lastBytesMilliseconds = 5_000;

/** A sink over one Node response. All calls are safe after the connection is gone. */
export class NodeResponseSink implements ResponseSink {
  readonly #response: ServerResponse;
  #opened = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get opened(): boolean {
    return this.#opened;
  }

  waitingBytes(): number {
    return this.#response.writableLength;
  }

  open(status: number, headers: Readonly<Record<string, string | readonly string[]>>): void {
    this.#opened = true;
    const response = this.#response;
    if (response.destroyed) return;
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    response.socket?.setTimeout(0);
  }

  write(chunk: string | Uint8Array): boolean {
    return !this.#response.destroyed && this.#response.write(chunk);
  }

  /** Destroys the connection if the reader stalls: its place among the open streams is already free. */
  end(): void {
    const response = this.#response;
    if (response.destroyed) return;
    const timer = setTimeout(() => response.destroy(), lastBytesMilliseconds);
    timer.unref();
    response.once("close", () => clearTimeout(timer));
    response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }
}
