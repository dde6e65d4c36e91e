import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { guardedLookup, requireDestination } from "./destination.server";

/** Deadline from DNS lookup to status, even if the receiver keeps sending slowly. */
const answerWithinMilliseconds = 10_000;
/** Enough for status and headers. The body is never read. */
const answerBytes = 64 * 1024;

export interface OutgoingPost {
  address: string;
  headers: Readonly<Record<string, string | number>>;
  body: string | Buffer;
}

export interface OutgoingOptions {
  /** Whether http and private addresses are allowed too. */
  allowPrivate: boolean;
  /** Ends the request at once. */
  signal?: AbortSignal | undefined;
}

/**
 * The only way to post to an address a user chose: without redirects, done with the status, the body unread. Throws
 * if there is no answer in time, and `ForbiddenDestination` if retrying would not help.
 */
export async function post(
  { address, headers, body }: OutgoingPost,
  { allowPrivate, signal }: OutgoingOptions,
): Promise<number> {
  const url = requireDestination(address, allowPrivate);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;

  return new Promise<number>((resolve, reject) => {
    const outgoing = send(url, {
      method: "POST",
      headers: { ...headers, "Content-Length": Buffer.byteLength(body) },
      lookup: guardedLookup(allowPrivate),
      // A fresh connection: none opened under other rules is reused, and none stays open.
      agent: false,
    });
    const stop = (reason: string) => outgoing.destroy(new Error(reason));
    const deadline = setTimeout(() => stop("The receiver did not answer in time."), answerWithinMilliseconds);
    const onAbort = () => stop("The request was cut off because the service stops.");
    signal?.addEventListener("abort", onAbort);

    // More errors can follow the first one or the answer. The first to settle the promise wins.
    outgoing.on("error", reject);
    outgoing.on("information", () => {
      if ((outgoing.socket?.bytesRead ?? 0) > answerBytes) stop("The receiver said too much.");
    });
    outgoing.on("response", (response) => {
      response.on("error", () => undefined);
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    outgoing.on("close", () => {
      clearTimeout(deadline);
      signal?.removeEventListener("abort", onAbort);
      reject(new Error("The receiver closed the connection without an answer."));
    });
    if (signal?.aborted) onAbort();
    else outgoing.end(body);
  });
}
