import { createHmac, timingSafeEqual } from "node:crypto";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { guardedLookup, requireDestination } from "./destination.server";

/** How long a receiver may take to answer. */
const answerWithinMilliseconds = 10_000;

export interface WebhookMessage {
  /** The notice's id: the same on every attempt, so that a receiver can drop repeats. */
  id: string;
  url: string;
  secret: string;
  body: string;
}

/**
 * Signs as the Standard Webhooks specification does: HMAC-SHA256 over `id.timestamp.body`,
 * base64, with a version in front.
 */
export function signWebhook(
  secret: string,
  id: string,
  timestampSeconds: number,
  body: string,
): string {
  const key = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
  const digest = createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`);
  return `v1,${digest.digest("base64")}`;
}

/** For receivers and tests: whether a signature belongs to this message. */
export function verifyWebhook(
  secret: string,
  headers: { id: string; timestamp: string; signature: string },
  body: string,
): boolean {
  const expected = Buffer.from(signWebhook(secret, headers.id, Number(headers.timestamp), body));
  const given = Buffer.from(headers.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Posts one message; resolves with the receiver's status. Redirects are not followed. Throws when nothing answered. */
export function sendWebhook(message: WebhookMessage, allowPrivate: boolean): Promise<number> {
  const url = requireDestination(message.url, allowPrivate);
  const timestamp = Math.floor(Date.now() / 1000);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;

  return new Promise((resolve, reject) => {
    const outgoing = send(
      url,
      {
        method: "POST",
        lookup: guardedLookup(allowPrivate),
        timeout: answerWithinMilliseconds,
        headers: {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(message.body),
          "User-Agent": "Backloom-Webhook",
          "webhook-id": message.id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": signWebhook(message.secret, message.id, timestamp, message.body),
        },
      },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
        response.on("error", reject);
      },
    );
    outgoing.on("timeout", () =>
      outgoing.destroy(new Error("The receiver did not answer in time.")),
    );
    outgoing.on("error", reject);
    outgoing.end(message.body);
  });
}
