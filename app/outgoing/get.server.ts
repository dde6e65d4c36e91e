import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { guardedLookup, requireDestination } from "./destination.server";

/** Short, because a person waits for the page. */
const answerWithinMilliseconds = 5_000;
/** No client metadata document is longer. */
const answerBytes = 64 * 1024;

export interface OutgoingGet {
  address: string;
  headers: Readonly<Record<string, string>>;
  /** Whether http and private addresses are allowed too. */
  allowPrivate: boolean;
}

export type ShortAnswer = { status: number; text: string };

/** Under the rules of `post`: guarded DNS lookup, one deadline, no redirects. Throws if late or too long. */
export function get({ address, headers, allowPrivate }: OutgoingGet): Promise<ShortAnswer> {
  const url = requireDestination(address, allowPrivate);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;

  return new Promise<ShortAnswer>((resolve, reject) => {
    const outgoing = send(url, { headers: { ...headers }, lookup: guardedLookup(allowPrivate), agent: false });
    const stop = (reason: string) => outgoing.destroy(new Error(reason));
    const deadline = setTimeout(() => stop("No answer came in time."), answerWithinMilliseconds);
    const chunks: Buffer[] = [];
    let bytes = 0;
    outgoing.on("error", reject);
    outgoing.on("information", () => {
      if ((outgoing.socket?.bytesRead ?? 0) > answerBytes) stop("The response is too long.");
    });
    outgoing.on("response", (response) => {
      response.on("error", reject);
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > answerBytes) stop("The response is too long.");
        else chunks.push(chunk);
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    outgoing.on("close", () => {
      clearTimeout(deadline);
      reject(new Error("The connection was closed without a whole answer."));
    });
    outgoing.end();
  });
}
