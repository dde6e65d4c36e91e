import type { IncomingMessage } from "node:http";
import { ContractError } from "~/wire/errors";

/** Default body limit in bytes (specification: Errors, 413). */
export const bodyLimit = 1_048_576;
export const openBodyLimit = 65_536;

/** Reads the whole body. Rejects with 413 as soon as it is known to exceed `limit` bytes. */
export function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Trap: leaving a `for await` loop early would destroy the socket before the answer is sent.
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
      // Drain the rest, so that the connection can be reused.
      request.resume();
      reject(tooLarge(limit));
    };
    request.on("data", onData);
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => {
      if (!request.readableEnded) reject(new ContractError(400, "The request body is incomplete. Send it again."));
    });
  });
}

function tooLarge(limit: number): ContractError {
  const most = limit < bodyLimit ? `${limit / 1_024} kB` : `${Math.floor(limit / bodyLimit)} MB`;
  return new ContractError(413, `The request body is larger than ${most}. Send less at once.`);
}
