import webPush from "web-push";
import { requireDestination } from "~/outgoing/destination.server";
import { type OutgoingOptions, post } from "~/outgoing/post.server";

export interface VapidKeys {
  publicKey: string;
  privateKey: string;
  /** `mailto:` or https address of the operator, required by push services. */
  subject: string;
}

export interface PushTarget {
  endpoint: string;
  p256dh: string;
  auth: string;
}

/** One day. After that, people find the question on the page. */
const timeToLiveSeconds = 86_400;

/** Sends one push message. Resolves with the push service's status; 404 and 410 mean that the device is gone. */
export async function sendPush(
  target: PushTarget,
  payload: string,
  vapid: VapidKeys,
  options: OutgoingOptions,
): Promise<number> {
  // The library only encrypts and signs, for the normalized address. Its own sending has no limits, so we use `post`.
  const address = requireDestination(target.endpoint, options.allowPrivate).href;
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint: address, keys: { p256dh: target.p256dh, auth: target.auth } },
    payload,
    { TTL: timeToLiveSeconds, vapidDetails: vapid },
  );
  return post({ address, headers, body }, options);
}
