import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import { WrittenJson } from "~/db/written-json";
import { operation } from "~/nouns/operation.server";
import { ContractError } from "~/wire/errors";
import { idSchema } from "~/wire/text";
import * as wire from "~/wire/transfers/contract";
import { LeftOut } from "~/wire/transfers/left-out";
import type { PreparedImport } from "./prepared-import";

const importIdInput = z.object({ import_id: idSchema });
const startImport = operation("start_import", importIdInput.extend({ rows: z.int() }), wire.followedImportSchema);
const endImport = operation(
  "end_import",
  importIdInput.extend({ report: z.unknown().optional(), error: z.string().optional() }),
  wire.followedImportSchema,
);

export const getImport = operation("get_import", importIdInput, wire.followedImportSchema);

/** Imports a draft's new items in one transaction, or previews that. With an id its caller can follow it. */
export async function importBacklog(
  actor: Actor,
  target: wire.ImportTarget,
  prepared: PreparedImport,
  preview: boolean,
  importId?: string,
): Promise<wire.ImportReport> {
  if (importId === undefined) return importRows(actor, { ...target, preview }, prepared);
  await startImport({ ...actor, once: undefined }, { import_id: importId, rows: prepared.size });
  return importFollowed(actor, { ...target, preview, import_id: importId }, prepared);
}

/** Begins an import that goes on after the answer. */
export async function beginImport(
  actor: Actor,
  target: wire.ImportTarget,
  prepared: PreparedImport,
  preview: boolean,
): Promise<wire.FollowedImport> {
  const import_id = randomUUID();
  const { import: begun } = await startImport(actor, { import_id, rows: prepared.size });
  const isReplayed = begun.id !== import_id;
  if (!isReplayed) {
    const rest = importFollowed({ ...actor, once: undefined }, { ...target, preview, import_id }, prepared);
    // Its caller reads what went wrong.
    rest.catch(() => undefined);
  }
  return begun;
}

interface Given extends wire.ImportTarget {
  preview: boolean;
  import_id?: string;
}

async function importFollowed(actor: Actor, given: Given & { import_id: string }, prepared: PreparedImport) {
  const { import_id } = given;
  const follower = { ...actor, once: undefined };
  const report = await importRows(actor, given, prepared).catch(async (error: unknown) => {
    const sentence = error instanceof ContractError ? error.message : "The import failed. Import the file again.";
    await endImport(follower, { import_id, error: sentence });
    throw error;
  });
  await endImport(follower, { import_id, report });
  return report;
}

async function importRows(
  actor: Actor,
  given: Given,
  { given: rowsGiven, told }: PreparedImport,
): Promise<wire.ImportReport> {
  const named = Object.entries(given).map(([name, value]) => [`p_${name}`, value]);
  const first = JSON.stringify(Object.fromEntries(named));
  const { impossible, ...rows } = await callAs(
    actor,
    "import_backlog",
    new WrittenJson(`${first.slice(0, -1)},${rowsGiven}}`),
    wire.importedRowsSchema,
  );
  const dependencies = new LeftOut();
  for (const { reason, name } of impossible) dependencies.add(reason, 1, name);
  return { ...rows, ...told, preview: given.preview, left_out: [...told.left_out, ...dependencies.list()] };
}
