import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { countFiles, indexLimits, type KnownChange } from "~/wire/forecasts/contract";
import { limitTime } from "../../base/interruption";
import { messageOf } from "../../base/problems";
import { readKnownChanges } from "../../git/known-changes";
import type { Worktree } from "../../git/worktree";
import type { Attempt } from "../attempt";

const pack = promisify(gzip);
const mostBytes = 1_048_576;
const told = new Set<string>();

/** Once a head, titles and paths of main's newest changes; a product may leave them out. Never fails the job. */
export async function tellChanges(
  attempt: Attempt,
  { folder, main }: Pick<Worktree, "folder" | "main">,
): Promise<void> {
  const { job, journal } = attempt;
  const name = `${job.product.id} ${job.repo_url} ${main}`;
  if (job.change_index !== true || told.has(name)) return;
  told.add(name);
  try {
    const body = await packed(attempt, main, await readKnownChanges(folder, main));
    await send(attempt, body);
  } catch (error) {
    journal.sayOnce(`What main's changes touched could not be sent: ${messageOf(error)}`);
  }
}

/** As many of the newest changes as fit into one call. */
async function packed(
  attempt: Attempt,
  head_sha: string,
  changes: readonly KnownChange[],
): Promise<Uint8Array<ArrayBuffer>> {
  if (countFiles(changes) > indexLimits.files)
    return packed(attempt, head_sha, changes.slice(0, Math.floor(changes.length / 2)));
  const titled = changes.map((change) => ({ ...change, title: attempt.clean(change.title) }));
  const text = JSON.stringify({ repository: attempt.job.repo_url, head_sha, changes: titled });
  const bytes = new Uint8Array(await pack(text));
  if (bytes.length <= mostBytes && Buffer.byteLength(text) <= indexLimits.unpacked) return bytes;
  return packed(attempt, head_sha, changes.slice(0, Math.floor(changes.length / 2)));
}

async function send({ job, options, heartbeat }: Attempt, body: Uint8Array<ArrayBuffer>): Promise<void> {
  const limit = limitTime(30_000, heartbeat.signal);
  const answer = await fetch(new URL(`/api/products/${job.product.id}/change-index`, options.url), {
    method: "PUT",
    headers: {
      authorization: `Bearer ${options.token}`,
      "content-type": "application/json",
      "content-encoding": "gzip",
    },
    body,
    signal: limit.signal,
  }).finally(limit.end);
  await answer.body?.cancel();
  // Switched off since, or a worker whose word does not count in this product.
  const isExpected = answer.ok || answer.status === 409 || answer.status === 403 || answer.status === 404;
  if (!isExpected) throw new Error(`the service answered ${answer.status}`);
}
