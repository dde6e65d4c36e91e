import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { fileLimit, fileSchema } from "~/wire/files/contract";
import { typeOf } from "~/wire/files/file-type";
import type { ClaimedCriterion } from "~/wire/proof/contract";
import { messageOf } from "../../base/problems";
import { sendable } from "../../base/sendable";
import type { Attempt } from "../attempt";

interface Made {
  folder: string;
  path: string;
  since: number;
  criterion: Partial<Pick<ClaimedCriterion, "story_id">>;
  /** It is shown where it is there, and not missed where it is not. */
  mayBeMissing?: boolean;
}

/** File system clocks may lag by a tick. */
const tick = 20;

/** Returns its id. Refuses files outside the checkout, text (maybe a secret) and what is older than the command. */
export async function uploadMade(attempt: Attempt, made: Made): Promise<string | undefined> {
  const { job, service, journal } = attempt;
  const shown = sendable(made.path, 200);
  try {
    const bytes = await readMade(made);
    const type = bytes && typeOf(bytes);
    if (!bytes || !type || !/^(image|video)\//.test(type)) {
      if (made.mayBeMissing) return undefined;
      journal.say(`Not shown as proof: ${shown} is not an image or video that the command made`);
      return undefined;
    }
    const { id } = await service.upload(
      { product_id: job.product.id, ...made.criterion },
      { name: basename(made.path), bytes },
      fileSchema,
    );
    return id;
  } catch (error) {
    attempt.heartbeat.signal.throwIfAborted();
    journal.say(`Not shown as proof: ${shown}: ${messageOf(error)}`);
    return undefined;
  }
}

async function readMade({ folder, path, since }: Made): Promise<Uint8Array<ArrayBuffer> | null> {
  const real = await realpath(join(folder, path)).catch(() => null);
  if (!real?.startsWith(`${await realpath(folder)}${sep}`)) return null;
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > fileLimit || found.mtimeMs < since - tick) return null;
    return new Uint8Array(await handle.readFile());
  } finally {
    await handle.close();
  }
}
