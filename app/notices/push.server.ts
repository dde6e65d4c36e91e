import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import webPush from "web-push";
import { z } from "zod";
import { requireDestination } from "~/outgoing/destination.server";
import { type OutgoingOptions, post } from "~/outgoing/post.server";

export interface VapidKeys {
  publicKey: string;
  privateKey: string;
  /** `mailto:` or https address of the operator, required by push services. */
  subject: string;
}

export type PushTarget = { endpoint: string; p256dh: string; auth: string };

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

const fileSchema = z.object({ publicKey: z.string(), privateKey: z.string() });

/** Push services require a contact address. Operators set theirs with VAPID_SUBJECT. */
const defaultSubject = "mailto:operator@backloom.invalid";

/** Loads the keys that sign push messages. Generated on first use, in a file only its owner can read. */
export async function loadVapidKeys(dataDir: string): Promise<VapidKeys> {
  const file = join(dataDir, "vapid.json");
  const written = await readFile(file, "utf8").catch(() => null);
  if (written !== null) return { ...fileSchema.parse(JSON.parse(written)), subject: defaultSubject };

  const keys = webPush.generateVAPIDKeys();
  const handle = await open(file, "w", 0o600);
  await handle.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
  await handle.close();
  return { ...keys, subject: defaultSubject };
}
