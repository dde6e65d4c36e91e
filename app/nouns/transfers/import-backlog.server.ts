import type { Actor } from "~/db/rpc.server";
import { operation } from "~/nouns/operation.server";
import type { doneRequirements } from "~/nouns/products/contract";
import {
  type ImportDraft,
  type ImportReport,
  importBacklogInput,
  importedRowsSchema,
} from "./contract";
import { LeftOut } from "./formats/left-out";

const importRows = operation("import_backlog", importBacklogInput, importedRowsSchema);

export interface ImportTarget {
  product_id: string | null;
  name: string | null;
  code: string | null;
  /** What agent work of a new product waits for; a person by default. */
  done_requires?: (typeof doneRequirements)[number] | undefined;
}

/** Names in the file and who they are here: the name of a member, or empty for no one. */
export type ImportedPeople = ReadonlyMap<string, string>;

const shownRows = 20;

/** Imports a draft's new items in one transaction, or previews that. */
export async function importBacklog(
  actor: Actor,
  target: ImportTarget,
  { pbis, ideas, definition_of_done, left_out, statuses }: ImportDraft,
  preview: boolean,
  people: ImportedPeople = new Map(),
): Promise<ImportReport> {
  const assigned = pbis.map((pbi) => ({
    ...pbi,
    stories: pbi.stories.map((story) => ({
      ...story,
      assignee: (people.get(story.assignee ?? "") ?? story.assignee) || null,
    })),
  }));
  const { impossible, ...rows } = await importRows(actor, {
    ...{ ...target, pbis: assigned, ideas, definition_of_done, preview },
  });
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
