import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { operation } from "~/nouns/operation.server";
import type { doneRequirements } from "~/nouns/products/contract";
import { WorkThread } from "~/threads/work-thread.server";
import {
  type ImportDraft,
  type ImportReport,
  importBacklogInput,
  importedRowsSchema,
} from "./contract";
import { LeftOut } from "./formats/left-out";
import type { ImportAnswer, ImportTask } from "./import-thread";
import source from "./import-thread?thread";

const importRows = operation("import_backlog", importBacklogInput, importedRowsSchema);

/** What an import's parts cost at most: milliseconds and megabytes. */
const thread = new WorkThread(source, { longest: 5_000, memoryMb: 384 });

interface ReadDraft {
  draft: ImportDraft;
  /** The same for the next step of a page, which sends it back. */
  packed: string;
}

/** Parses uploaded files of a format, or what a preview packed; refuses invalid ones. */
export async function readImport(task: ImportTask, userId: string): Promise<ReadDraft> {
  const outcome = await thread.run(task, userId);
  if (outcome === "too-busy")
    throw new ContractError(503, "Other imports are being read. Try again in a minute.");
  if (outcome === "too-heavy")
    throw new ContractError(422, "Reading this takes too long. Import it in parts.");
  const answer: ImportAnswer = JSON.parse(outcome.made);
  if ("draft" in answer) return answer;
  throw new ContractError(answer.status, answer.message);
}

export interface ImportTarget {
  product_id: string | null;
  name: string | null;
  code: string | null;
  /** What agent work of a new product waits for; a person by default. */
  done_requires?: (typeof doneRequirements)[number] | undefined;
}

const shownRows = 20;

/** Imports a draft's new items in one transaction, or previews that. */
export async function importBacklog(
  actor: Actor,
  target: ImportTarget,
  { pbis, left_out, statuses }: ImportDraft,
  preview: boolean,
): Promise<ImportReport> {
  const { impossible, ...rows } = await importRows(actor, { ...target, pbis, preview });
  const dependencies = new LeftOut();
  for (const { reason, name } of impossible) dependencies.add(reason, 1, name);
  return {
    ...rows,
    preview,
    left_out: [...left_out, ...dependencies.list()],
    statuses,
    rows: pbis
      .flatMap(({ title: pbi, stories }) =>
        stories.map(({ title, labels, tasks }) => ({
          title,
          pbi,
          labels,
          tasks: tasks.length,
          done: tasks.length > 0 && tasks.every(({ status }) => status === "DONE"),
        })),
      )
      .slice(0, shownRows),
  };
}
