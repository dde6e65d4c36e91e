import type { IncomingMessage } from "node:http";
import { ContractError } from "~/contract/errors";

/** The largest body of any request (specification: Errors, 413). */
export const bodyLimit = 1_048_576;

/** Reads the whole body; refuses with 413 as soon as it is known to be longer than `limit` bytes. */
export function readBody(
  request: IncomingMessage,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Not `for await`: leaving that loop early would destroy the socket before the answer is sent.
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"] ?? 0) > limit) {
      reject(tooLarge(limit));
      return;
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      request.off("data", onData);
      // The rest flows on unread, so that the connection is good for the next request.
      request.resume();
      reject(tooLarge(limit));
    };
    request.on("data", onData);
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => {
      if (!request.readableEnded)
        reject(new ContractError(400, "The request body is incomplete. Send it again."));
    });
  });
}

function tooLarge(limit: number): ContractError {
  return new ContractError(
    413,
    `The request body is larger than ${Math.floor(limit / 1_048_576)} MB. Send less at once.`,
  );
}
