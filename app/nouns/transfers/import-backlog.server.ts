import type { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { operation } from "~/nouns/operation.server";
import {
  type ImportDraft,
  type ImportReport,
  importBacklogInput,
  importedRowsSchema,
} from "./contract";
import { LeftOut } from "./formats/left-out";

const importRows = operation("import_backlog", importBacklogInput, importedRowsSchema);

/** Where the rows go; the gates are those of a new product. */
export type ImportTarget = Omit<
  z.input<typeof importBacklogInput>,
  "pbis" | "ideas" | "definition_of_done" | "preview"
>;

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
