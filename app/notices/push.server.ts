import { Agent } from "node:https";
import webPush, { WebPushError } from "web-push";
import { guardedLookup, requireDestination } from "./destination.server";

export interface VapidKeys {
  publicKey: string;
  privateKey: string;
  /** `mailto:` or https address of the operator, which push services want to know. */
  subject: string;
}

export interface PushTarget {
  endpoint: string;
  p256dh: string;
  auth: string;
}

/** A day: a question that nobody saw for longer is found on the page. */
const timeToLiveSeconds = 86_400;

/** Sends one push message; resolves with the push service's status, 404 and 410 meaning that the device is gone. */
export async function sendPush(
  target: PushTarget,
  payload: string,
  vapid: VapidKeys,
  allowPrivate: boolean,
): Promise<number> {
  requireDestination(target.endpoint, allowPrivate);
  try {
    const result = await webPush.sendNotification(
      { endpoint: target.endpoint, keys: { p256dh: target.p256dh, auth: target.auth } },
      payload,
      {
        TTL: timeToLiveSeconds,
        timeout: 10_000,
        agent: new Agent({
          lookup: guardedLookup(allowPrivate),
          rejectUnauthorized: !allowPrivate,
        }),
        vapidDetails: vapid,
      },
    );
    return result.statusCode;
  } catch (error) {
    if (error instanceof WebPushError) return error.statusCode;
    throw error;
  }
}
