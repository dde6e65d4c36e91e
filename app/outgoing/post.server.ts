import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { guardedLookup, requireDestination } from "./destination.server";

/** From the look-up of the name to the status: however slowly it is said, no receiver has longer. */
const answerWithinMilliseconds = 10_000;
/** A status and its headers need no more; what comes after them is never read. */
const answerBytes = 64 * 1024;

export interface OutgoingPost {
  address: string;
  headers: Readonly<Record<string, string | number>>;
  body: string | Buffer;
}

export interface OutgoingOptions {
  /** Whether http and addresses of private networks are allowed too. */
  allowPrivate: boolean;
  /** Ends the request at once. */
  signal?: AbortSignal | undefined;
}

/**
 * The one way out of this service to an address that a user chose. Resolves with the receiver's status as soon as it is
 * known; the connection is closed then, whatever else the receiver would like to say. Redirects are not followed.
 * Throws when nothing answered in time, and `ForbiddenDestination` where it would not help to try again.
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
      // A connection of its own: none that was made under other rules is taken over, and none stays behind.
      agent: false,
    });
    const stop = (reason: string) => outgoing.destroy(new Error(reason));
    const deadline = setTimeout(
      () => stop("The receiver did not answer in time."),
      answerWithinMilliseconds,
    );
    const onAbort = () => stop("The request was cut off because the service stops.");
    signal?.addEventListener("abort", onAbort);

    // Errors can follow the first one or the answer; whoever settles first decides.
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
