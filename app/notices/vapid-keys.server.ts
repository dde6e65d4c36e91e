import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import webPush from "web-push";
import { z } from "zod";
import type { VapidKeys } from "./push.server";

const fileSchema = z.object({ publicKey: z.string(), privateKey: z.string() });

/** Push services want an address to complain to; an installation that cares sets VAPID_SUBJECT. */
const defaultSubject = "mailto:operator@backloom.invalid";

/** The keys with which this installation signs push messages: made once, readable by its owner alone. */
export async function loadVapidKeys(dataDir: string): Promise<VapidKeys> {
  const file = join(dataDir, "vapid.json");
  const written = await readFile(file, "utf8").catch(() => null);
  if (written !== null)
    return { ...fileSchema.parse(JSON.parse(written)), subject: defaultSubject };

  const keys = webPush.generateVAPIDKeys();
  const handle = await open(file, "w", 0o600);
  await handle.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
  await handle.close();
  return { ...keys, subject: defaultSubject };
}
