import type { Logger } from "pino";
import type { Once } from "~/db/once.server";
import type { Services } from "~/services.server";

/**
 * The way to write a stream straight to the response. Remix's adapter ignores back-pressure, so
 * streams do not pass through it.
 */
export interface ResponseSink {
  /** Sends status and headers at once; afterwards the front sends nothing of its own. */
  open(status: number, headers: Readonly<Record<string, string | readonly string[]>>): void;
  readonly opened: boolean;
  /** False when the reader lags; `waitingBytes` says by how much. */
  write(chunk: string | Uint8Array): boolean;
  /** Bytes accepted and not yet handed to the operating system. */
  waitingBytes(): number;
  /** Ends the response cleanly. */
  end(): void;
  /** Cuts the connection off at once. */
  destroy(): void;
}

/** What the front hands to every loader and action as `context`. */
export interface RequestContext {
  readonly services: Services;
  readonly requestId: string;
  /** Address of the client: of the socket, or as told by a trusted proxy. */
  readonly clientAddress: string;
  /** Our own origin as the client typed it; the one that is configured, where a proxy or somebody else put another in its place. */
  readonly origin: string;
  /** Aborted when the response is closed. `request.signal` never fires reliably: use this one. */
  readonly closeSignal: AbortSignal;
  /** Nonce of this answer's Content-Security-Policy. */
  readonly cspNonce: string;
  readonly sink: ResponseSink;
  readonly log: Logger;
  /** The key that the form of a page was sent with: what it makes is made once. */
  readonly once: Once | undefined;
  /** The whole body of the request; refuses with 413 beyond `limit` bytes. */
  readBody(limit: number): Promise<Uint8Array<ArrayBuffer>>;
}

declare module "@remix-run/server-runtime" {
  interface AppLoadContext extends RequestContext {}
}
