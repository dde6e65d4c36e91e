import { type Actor, callAs } from "~/db/rpc.server";
import { WrittenJson } from "~/db/written-json";
import { type ImportReport, type ImportTarget, importedRowsSchema } from "~/wire/transfers/contract";
import { LeftOut } from "~/wire/transfers/left-out";
import type { PreparedImport } from "./prepared-import";

/** Imports a draft's new items in one transaction, or previews that. */
export async function importBacklog(
  actor: Actor,
  target: ImportTarget,
  { given, told }: PreparedImport,
  preview: boolean,
): Promise<ImportReport> {
  const named = Object.entries({ ...target, preview }).map(([name, value]) => [`p_${name}`, value]);
  const first = JSON.stringify(Object.fromEntries(named));
  const { impossible, ...rows } = await callAs(
    actor,
    "import_backlog",
    new WrittenJson(`${first.slice(0, -1)},${given}}`),
    importedRowsSchema,
  );
  const dependencies = new LeftOut();
  for (const { reason, name } of impossible) dependencies.add(reason, 1, name);
  return { ...rows, ...told, preview, left_out: [...told.left_out, ...dependencies.list()] };
}
