import { createHmac, timingSafeEqual } from "node:crypto";
import { type OutgoingOptions, post } from "~/outgoing/post.server";

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

/** Posts one message; resolves with the receiver's status. Throws when nothing answered. */
export function sendWebhook(message: WebhookMessage, options: OutgoingOptions): Promise<number> {
  const { id, url, secret, body } = message;
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "Backloom-Webhook",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signWebhook(secret, id, timestamp, body),
  };
  return post({ address: url, headers, body }, options);
}
