import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import webPush from "web-push";
import { z } from "zod";
import type { VapidKeys } from "./push.server";

const fileSchema = z.object({ publicKey: z.string(), privateKey: z.string() });

/** Push services require a contact address. Operators set theirs with VAPID_SUBJECT. */
const defaultSubject = "mailto:operator@backloom.invalid";

/** Loads the keys that sign push messages. Generated on first use, in a file only its owner can read. */
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
