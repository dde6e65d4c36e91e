import webPush from "web-push";
import { requireDestination } from "~/outgoing/destination.server";
import { type OutgoingOptions, post } from "~/outgoing/post.server";

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
  options: OutgoingOptions,
): Promise<number> {
  // The library only seals and signs, for the address as we read it: its own sending has no bounds.
  const address = requireDestination(target.endpoint, options.allowPrivate).href;
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint: address, keys: { p256dh: target.p256dh, auth: target.auth } },
    payload,
    { TTL: timeToLiveSeconds, vapidDetails: vapid },
  );
  return post({ address, headers, body }, options);
}
