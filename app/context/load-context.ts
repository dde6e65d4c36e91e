import type { Logger } from "pino";
import type { Once } from "~/db/rpc.server";
import type { ResponseSink } from "~/sse/response-sink";
import type { Services } from "./services.server";

/** The `context` that the front passes to every loader and action. */
export interface RequestContext {
  readonly services: Services;
  readonly requestId: string;
  /** Client address: that of the socket, or the one a trusted proxy forwarded. */
  readonly clientAddress: string;
  /** Our origin as the client typed it, or APP_ORIGIN if `Host` does not give a configured origin. */
  readonly origin: string;
  /** Aborted when the response is closed. Trap: `request.signal` does not fire reliably; use this one. */
  readonly closeSignal: AbortSignal;
  /** Nonce of this response's Content-Security-Policy. */
  readonly cspNonce: string;
  readonly sink: ResponseSink;
  readonly log: Logger;
  /** Idempotency key of the submitted form, so that a resubmission creates nothing twice. */
  readonly once: Once | undefined;
  /** Returns the whole request body, or throws 413 beyond `limit` bytes. */
  readBody(limit: number): Promise<Uint8Array<ArrayBuffer>>;
}

declare module "@remix-run/server-runtime" {
  interface AppLoadContext extends RequestContext {}
}
