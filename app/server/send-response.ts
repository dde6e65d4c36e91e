import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

const compress = promisify(gzip);

/** Shorter answers gain nothing from compression. */
const compressFrom = 4_096;
const textOfResponse = Symbol.for("backloom.text");

/** Writes a web response to Node's: known text at once, a stream part by part as fast as it is read. */
export async function sendResponse(response: Response, target: ServerResponse): Promise<void> {
  copyHead(response, target);
  const text = textOf(response);
  if (text !== undefined) {
    target.setHeader("content-length", Buffer.byteLength(text));
    target.end(text);
    return;
  }
  const { body } = response;
  if (body === null) {
    target.end();
    return;
  }
  const reader = body.getReader();
  target.once("close", () => void reader.cancel().catch(() => undefined));
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (target.destroyed) return;
    if (!target.write(part.value)) await drained(target);
  }
  target.end();
}

/** The same for JSON answers: known text goes out at once, long text compressed for those who accept it. */
export async function sendApiResponse(
  response: Response,
  request: IncomingMessage,
  target: ServerResponse,
): Promise<void> {
  const text = textOf(response);
  if (text === undefined) return sendResponse(response, target);
  copyHead(response, target);
  if (text.length < compressFrom || !acceptsGzip(request)) {
    target.setHeader("content-length", Buffer.byteLength(text));
    target.end(text);
    return;
  }
  const packed = await compress(text, { level: constants.Z_BEST_SPEED });
  target.setHeader("content-encoding", "gzip");
  target.setHeader("vary", "Accept-Encoding");
  target.setHeader("content-length", packed.length);
  target.end(packed);
}

function copyHead(response: Response, target: ServerResponse): void {
  target.statusCode = response.status;
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie") target.setHeader(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) target.setHeader("set-cookie", cookies);
}

function textOf(response: Response): string | undefined {
  if (!(textOfResponse in response)) return undefined;
  const text = response[textOfResponse];
  return typeof text === "string" ? text : undefined;
}

function acceptsGzip(request: IncomingMessage): boolean {
  const accepted = request.headers["accept-encoding"];
  return typeof accepted === "string" && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(accepted);
}

function drained(target: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      target.off("drain", done);
      target.off("close", done);
      resolve();
    };
    target.on("drain", done);
    target.on("close", done);
  });
}
