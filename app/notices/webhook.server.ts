import { createHmac, timingSafeEqual } from "node:crypto";
import { type OutgoingOptions, post } from "~/outgoing/post.server";

export interface WebhookMessage {
  /** The notice's id, the same on every attempt, so that receivers can drop duplicates. */
  id: string;
  url: string;
  secret: string;
  body: string;
}

/**
 * Signs according to the Standard Webhooks specification: HMAC-SHA256 over `id.timestamp.body`, base64, with a
 * version prefix.
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

/** Whether a signature matches this message. For receivers and tests. */
export function verifyWebhook(
  secret: string,
  headers: { id: string; timestamp: string; signature: string },
  body: string,
): boolean {
  const expected = Buffer.from(signWebhook(secret, headers.id, Number(headers.timestamp), body));
  const given = Buffer.from(headers.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** Posts one message and resolves with the receiver's status. Throws if there is no answer. */
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
