import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

const compress = promisify(gzip);

/** Minimum size in bytes: shorter answers gain nothing from compression. */
const compressFrom = 4_096;

/** Who takes nothing of an answer for so many milliseconds is cut: it stays in memory until it is taken. */
const readerPatience = 10_000;

/** Writes a web response to Node's in one piece. Only event streams are streamed, and they write to the sink. */
export async function sendResponse(response: Response, target: ServerResponse): Promise<void> {
  send(response, Buffer.from(await response.arrayBuffer()), target);
}

/** Like `sendResponse`, for JSON answers. Compresses long ones itself, because they bypass Express. */
export async function sendApiResponse(
  response: Response,
  request: IncomingMessage,
  target: ServerResponse,
): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  if (body.length < compressFrom || !acceptsGzip(request)) return send(response, body, target);
  target.setHeader("content-encoding", "gzip");
  target.setHeader("vary", "Accept-Encoding");
  send(response, await compress(body, { level: constants.Z_BEST_SPEED }), target);
}

function send(response: Response, body: Buffer, target: ServerResponse): void {
  target.statusCode = response.status;
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie") target.setHeader(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) target.setHeader("set-cookie", cookies);
  if (response.body !== null) target.setHeader("content-length", body.length);
  target.setTimeout(readerPatience);
  target.end(body);
}

function acceptsGzip(request: IncomingMessage): boolean {
  const accepted = request.headers["accept-encoding"];
  return typeof accepted === "string" && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(accepted);
}
