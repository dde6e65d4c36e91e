import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { RequestContext } from "~/context/load-context";
import { readBody } from "~/context/read-body";
import type { Services } from "~/context/services.server";
import type { Once } from "~/db/rpc.server";
import type { ResponseSink } from "~/sse/response-sink";

/** The load context of one request. Parts that only some routes need are created lazily. */
export class NodeRequestContext implements RequestContext {
  /** Required because Remix types its load context as open. */
  [name: string]: unknown;
  readonly services: Services;
  readonly clientAddress: string;
  readonly requestId = randomUUID();
  once: Once | undefined;
  route: string | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #closeController: AbortController | undefined;
  #nonce: string | undefined;
  #sink: NodeResponseSink | undefined;
  #log: Logger | undefined;
  #body: Promise<Uint8Array<ArrayBuffer>> | undefined;

  constructor(services: Services, clientAddress: string, request: IncomingMessage, response: ServerResponse) {
    this.services = services;
    this.clientAddress = clientAddress;
    this.#request = request;
    this.#response = response;
  }

  get closeSignal(): AbortSignal {
    this.#closeController ??= this.#abortOnClose();
    return this.#closeController.signal;
  }

  get origin(): string {
    const { appOrigin, origins } = this.services.env;
    const typed = `${new URL(appOrigin).protocol}//${this.#request.headers.host?.toLowerCase()}`;
    return origins.includes(typed) ? typed : appOrigin;
  }

  get cspNonce(): string {
    this.#nonce ??= randomBytes(16).toString("base64");
    return this.#nonce;
  }

  get sink(): ResponseSink {
    this.#sink ??= new NodeResponseSink(this.#response);
    return this.#sink;
  }

  get log(): Logger {
    this.#log ??= this.services.log.child({ requestId: this.requestId });
    return this.#log;
  }

  get isStreaming(): boolean {
    return this.#sink?.opened === true;
  }

  readBody(limit: number): Promise<Uint8Array<ArrayBuffer>> {
    this.#body ??= readBody(this.#request, limit);
    return this.#body;
  }

  #abortOnClose(): AbortController {
    const controller = new AbortController();
    if (this.#response.closed || this.#response.destroyed) controller.abort();
    else this.#response.once("close", () => controller.abort());
    return controller;
  }
}

/** How long a reader may take for the last bytes of an ended stream. */
const lastBytesMilliseconds = 5_000;

/** A sink over one Node response. All calls are safe after the connection is gone. */
export class NodeResponseSink implements ResponseSink {
  #opened = false;

  constructor(private readonly response: ServerResponse) {}

  get opened(): boolean {
    return this.#opened;
  }

  waitingBytes(): number {
    return this.response.writableLength;
  }

  open(status: number, headers: Readonly<Record<string, string | readonly string[]>>): void {
    this.#opened = true;
    const response = this.response;
    if (response.destroyed) return;
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    response.socket?.setTimeout(0);
  }

  write(chunk: string | Uint8Array): boolean {
    return !this.response.destroyed && this.response.write(chunk);
  }

  /** Destroys the connection if the reader stalls: its place among the open streams is already free. */
  end(): void {
    const response = this.response;
    if (response.destroyed) return;
    const timer = setTimeout(() => response.destroy(), lastBytesMilliseconds);
    timer.unref();
    response.once("close", () => clearTimeout(timer));
    response.end();
  }

  destroy(): void {
    this.response.destroy();
  }
}
