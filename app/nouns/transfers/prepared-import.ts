import { ContractError } from "~/wire/errors";
import { type ImportDraft, type ImportReport, importDraftSchema, importLimits } from "~/wire/transfers/contract";

/** What an import needs of a draft: the arguments of `import_backlog` as JSON, which no one parses again, and its report. */
export interface PreparedImport {
  /** Members of a JSON object, without its braces. */
  given: string;
  told: Pick<ImportReport, "left_out" | "statuses" | "rows">;
  /** Stories, tasks and ideas. */
  size: number;
}

/** Names in the file and who they are here: the name of a member, or empty for no one. */
export type ImportedPeople = ReadonlyMap<string, string>;

const shownRows = 20;

/** Refuses a draft beyond the limits: a reader's, and one that was in a browser. */
export function requireDraft(draft: unknown): ImportDraft {
  const parsed = importDraftSchema.safeParse(draft);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") ?? "";
  throw new ContractError(
    422,
    path === ""
      ? (issue?.message ?? "")
      : `The file has a value that cannot be imported. Correct ${path}: ${issue?.message}.`,
  );
}

/** The draft as JSON, at most as long as what may be taken over. */
export function writeDraft(draft: ImportDraft): string {
  const text = JSON.stringify(draft);
  if (Buffer.byteLength(text) <= importLimits.text) return text;
  throw new ContractError(422, "The file holds more text than can be imported at once. Import it in parts.");
}

export function prepareImport(
  { pbis, ideas, definition_of_done, left_out, statuses }: ImportDraft,
  people: ImportedPeople = new Map(),
): PreparedImport {
  const p_pbis = pbis.map((pbi) => ({
    ...pbi,
    stories: pbi.stories.map((story) => ({
      ...story,
      assignee: (people.get(story.assignee ?? "") ?? story.assignee)?.slice(0, 254) || null,
    })),
  }));
  const rows = pbis
    .flatMap(({ title: pbi, stories }) => stories.slice(0, shownRows).map((story) => ({ pbi, story })))
    .slice(0, shownRows)
    .map(({ pbi, story: { title, labels, tasks } }) => ({
      title,
      pbi,
      labels,
      tasks: tasks.length,
      done: tasks.length > 0 && tasks.every(({ status }) => status === "DONE"),
    }));
  const given = JSON.stringify({ p_pbis, p_ideas: ideas, p_definition_of_done: definition_of_done });
  const stories = pbis.flatMap((pbi) => pbi.stories);
  const size = stories.reduce((sum, { tasks }) => sum + 1 + tasks.length, ideas.length);
  return { given: given.slice(1, -1), told: { left_out, statuses, rows }, size };
}
