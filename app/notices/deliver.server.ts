import { createHmac } from "node:crypto";
import type { z } from "zod";
import { ForbiddenDestination } from "~/outgoing/destination.server";
import { type OutgoingOptions, post } from "~/outgoing/post.server";
import type { DueNotice, markNoticeInput } from "~/wire/notices/contract";
import { type PushTarget, sendPush, type VapidKeys } from "./push.server";

/** Result of a delivery, with the field names of the outbox. */
export type Outcome = Omit<z.infer<typeof markNoticeInput>, "notice_id">;

export type DeliveryOptions = { vapid: VapidKeys | undefined; allowPrivateDestinations: boolean };

/** Sends one notice to its webhook or to all devices of its user. Never throws. */
export async function deliver(
  notice: DueNotice,
  { vapid, allowPrivateDestinations }: DeliveryOptions,
  signal?: AbortSignal,
): Promise<Outcome> {
  const options = { allowPrivate: allowPrivateDestinations, signal };
  return notice.webhook ? deliverToWebhook(notice, notice.webhook, options) : deliverToDevices(notice, vapid, options);
}

async function deliverToWebhook(
  notice: DueNotice,
  webhook: NonNullable<DueNotice["webhook"]>,
  options: OutgoingOptions,
): Promise<Outcome> {
  if (!webhook.active) return { delivered: false, give_up: true, error: "The webhook is switched off." };
  const body = JSON.stringify({ id: notice.id, type: notice.kind, timestamp: notice.created_at, data: notice.payload });
  try {
    const { url, secret } = webhook;
    const status = await sendWebhook({ id: notice.id, url, secret, body }, options);
    if (status >= 200 && status < 300) return { delivered: true, response_status: status };
    return { delivered: false, response_status: status, error: `The receiver answered ${status}.` };
  } catch (error) {
    return failure(error);
  }
}

/** Counts as delivered if at least one device accepted it, or if there is no device. */
async function deliverToDevices(
  notice: DueNotice,
  vapid: VapidKeys | undefined,
  options: OutgoingOptions,
): Promise<Outcome> {
  if (notice.subscriptions.length === 0) return { delivered: true };
  if (!vapid) return { delivered: false, give_up: true, error: "Web push is not configured." };

  // A push message holds at most 4 KB, so it has only the text to show and the address to open.
  const { title, body: text, path } = notice.payload;
  const payload = JSON.stringify({ title, body: text, url: path, tag: notice.id });
  const results = await Promise.all(
    notice.subscriptions.map(async (target) => ({
      id: target.id,
      outcome: await deliverToDevice(target, payload, vapid, options),
    })),
  );
  const gone = results.filter(({ outcome }) => outcome.give_up).map(({ id }) => id);
  const taken = results.find(({ outcome }) => outcome.delivered);
  const failed = results.find(({ outcome }) => !outcome.delivered && !outcome.give_up);
  const last = taken ?? failed ?? results[0];
  return {
    delivered: taken !== undefined,
    give_up: taken === undefined && failed === undefined,
    response_status: last?.outcome.response_status,
    error: last?.outcome.error,
    gone_subscription_ids: gone,
  };
}

async function deliverToDevice(
  target: PushTarget,
  payload: string,
  vapid: VapidKeys,
  options: OutgoingOptions,
): Promise<Outcome> {
  try {
    const status = await sendPush(target, payload, vapid, options);
    if (status >= 200 && status < 300) return { delivered: true, response_status: status };
    const isGone = status === 404 || status === 410;
    return {
      delivered: false,
      response_status: status,
      give_up: isGone,
      error: `The push service answered ${status}.`,
    };
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): Outcome {
  return {
    delivered: false,
    give_up: error instanceof ForbiddenDestination,
    error: error instanceof Error ? error.message : String(error),
  };
}

interface WebhookMessage {
  /** The notice's id, the same on every attempt, so that receivers can drop duplicates. */
  id: string;
  url: string;
  secret: string;
  body: string;
}

/** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, base64, with a version prefix. */
function signWebhook(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
  const digest = createHmac("sha256", key).update(`${id}.${timestampSeconds}.${body}`);
  return `v1,${digest.digest("base64")}`;
}

/** Posts one message and resolves with the receiver's status. Throws if there is no answer. */
function sendWebhook(message: WebhookMessage, options: OutgoingOptions): Promise<number> {
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
