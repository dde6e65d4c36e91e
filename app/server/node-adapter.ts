import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

/** Node keeps only the first of repeated Authorization headers; joined, they are malformed and refused. */
export function webHeaders(request: IncomingMessage): Headers {
  const { headers, rawHeaders } = request;
  const result = new Headers();
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) result.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  if (isRepeated(rawHeaders, "authorization")) {
    result.set("authorization", request.headersDistinct.authorization?.join(", ") ?? "");
  }
  return result;
}

function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const each = rawHeaders[at];
    if (each?.length === name.length && each.toLowerCase() === name) found += 1;
  }
  return found > 1;
}

const compress = promisify(gzip);

/** Minimum size in bytes: shorter answers gain nothing from compression. */
const compressFrom = 4_096;

/** Who takes nothing of an answer for so many milliseconds is cut: it stays in memory until it is taken. */
const readerPatience = 10_000;

/** Writes a web response to Node's in one piece. Only event streams are streamed, and they write to the sink. */
export async function sendResponse(response: Response, target: ServerResponse): Promise<void> {
  send(response, await bodyOf(response), target);
}

/** Like `sendResponse`, for the API: in parts where the length is known, and compressed where that is worth it. */
export async function sendApiResponse(
  response: Response,
  request: IncomingMessage,
  target: ServerResponse,
): Promise<void> {
  if (response.body && response.headers.has("content-length")) return sendParts(response, response.body, target);
  const body = await bodyOf(response);
  if (body === undefined || body.length < compressFrom || !acceptsGzip(request)) return send(response, body, target);
  target.setHeader("content-encoding", "gzip");
  target.setHeader("vary", "Accept-Encoding");
  send(response, await compress(body, { level: constants.Z_BEST_SPEED }), target);
}

/** Asks for the next part only when the reader has taken the last. */
async function sendParts(response: Response, body: ReadableStream<Uint8Array>, target: ServerResponse): Promise<void> {
  writeHead(response, target);
  try {
    await pipeline(partsOf(body.getReader()), target);
  } catch (error) {
    // A reader that went is not a failure.
    if (!(error instanceof Error) || !/aborted|Premature close/.test(error.message)) throw error;
  }
}

async function* partsOf(reader: ReadableStreamDefaultReader<Uint8Array>) {
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

/** The text of a response that `jsonText` made, or the bytes of another. Routes are built apart: their class is unknown here. */
async function bodyOf(response: Response): Promise<Buffer | string | undefined> {
  if ("content" in response && typeof response.content === "string") return response.content;
  return response.body === null ? undefined : Buffer.from(await response.arrayBuffer());
}

function send(response: Response, body: Buffer | string | undefined, target: ServerResponse): void {
  writeHead(response, target);
  if (body !== undefined) target.setHeader("content-length", Buffer.byteLength(body));
  target.end(body);
}

function writeHead(response: Response, target: ServerResponse): void {
  target.statusCode = response.status;
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie") target.setHeader(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) target.setHeader("set-cookie", cookies);
  target.setTimeout(readerPatience);
}

function acceptsGzip(request: IncomingMessage): boolean {
  const accepted = request.headers["accept-encoding"];
  return typeof accepted === "string" && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(accepted);
}
