import { ContractError } from "~/contract/errors";
import type { ImportDraft, ImportedStory, ImportedTask, ReadStatus } from "~/contract/import";
import { importLimits } from "~/contract/import";
import { type SourceState, tellsState, toState, type WorkState } from "../backlog-md/state";
import { cleanLine, cleanText, cleanTitle, codeOf } from "./clean-text";

/** A story as a format provides it; missing fields get defaults. */
export interface StoryFields {
  id: string;
  code?: string | undefined;
  title: string;
  description?: string;
  acceptance_criteria?: string;
  priority?: number;
  assignee?: string | null | undefined;
  labels?: readonly string[];
  created_at?: string | undefined;
  state: WorkState;
  tasks?: readonly TaskFields[];
}

export interface TaskFields {
  id: string;
  title: string;
  description?: string;
  priority?: number;
  implementation_plan?: string | null;
  estimated_minutes?: number | null;
  labels?: readonly string[];
  created_at?: string | undefined;
  state: WorkState;
}

/** How a tool says where work stands. */
interface Standing {
  word: string;
  /** What the tool's own fields say. They count more than the word, which people choose. */
  told?: SourceState | undefined;
  isKnown?: boolean;
  /** The word as the preview shows it. */
  shown?: string;
}

const shown = { names: 5, words: 50 } as const;

/** Collects the content of a file. Texts are cut to fit, and omitted items are counted by reason. */
export class Draft {
  readonly #source: string;
  readonly #groups = new Map<string, { description: string; stories: ImportedStory[] }>();
  readonly #leftOut = new Map<string, { count: number; names: string[] }>();
  readonly #statuses = new Map<string, ReadStatus>();
  readonly #ids = new Set<string>();
  #tasks = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Counts what is not imported. The first names of a reason are shown. */
  leaveOut(reason: string, count = 1, name?: string): void {
    if (count <= 0) return;
    const known = this.#leftOut.get(reason) ?? { count: 0, names: [] };
    if (name && known.names.length < shown.names) known.names.push(cleanLine(name).slice(0, 100));
    this.#leftOut.set(reason, { ...known, count: known.count + count });
  }

  /** Reads a state, and counts which word was read as what; null for dropped work. Unknown words are to do. */
  readState({ word, told, ...more }: Standing): WorkState | null {
    const named = toState(word);
    const state = told === "IN_PROGRESS" && named === "REVIEW" ? named : (told ?? named ?? "TO_DO");
    const became = state === "dropped" ? "LEFT_OUT" : state;
    const isKnown = more.isKnown ?? (told ?? named) !== undefined;
    this.countStatus(more.shown ?? word, became, isKnown);
    return state === "dropped" ? null : state;
  }

  countStatus(word: string, became: ReadStatus["became"], known: boolean): void {
    const line = cleanLine(word.slice(0, 200)).slice(0, 80).trim();
    const key = `${became} ${line}`;
    const before = this.#statuses.get(key)?.count ?? 0;
    if (line !== "" && (before > 0 || this.#statuses.size < shown.words))
      this.#statuses.set(key, { word: line, became, known, count: before + 1 });
  }

  /** Sets a PBI's description; PBIs without stories are not imported. */
  describe(pbi: string, description: string): void {
    this.#group(pbi).description = cleanText(description);
  }

  add(pbi: string, fields: StoryFields): void {
    const external_id = this.#id(fields.id);
    if (this.#ids.has(external_id)) {
      this.leaveOut("The same id a second time in the file", 1, fields.id);
      return;
    }
    this.#ids.add(external_id);
    const own = fields.tasks ?? [];
    const tasks = own.flatMap((task) => this.#task(task));
    this.#tellParent(fields, tasks);
    // A story's status follows its tasks, and a story without tasks cannot be run. If they do not show it, one is added.
    if (!tellsState(tasks, fields.state)) {
      const description = fields.state === "DONE" ? "" : (fields.description ?? "");
      tasks.push(...this.#task({ ...fields, id: `${fields.id}/own`, description, labels: [] }));
    }
    const story: ImportedStory = {
      external_id,
      code: codeOf(fields.code),
      title: cleanTitle(fields.title),
      description: cleanText(fields.description),
      acceptance_criteria: cleanText(fields.acceptance_criteria),
      priority: fields.priority ?? 3,
      assignee: cleanLine(fields.assignee ?? "").slice(0, 254) || null,
      labels: this.#labels(fields.labels),
      created_at: fields.created_at,
      tasks,
    };
    this.#group(pbi).stories.push(story);
  }

  finish(): ImportDraft {
    for (const [title, { stories }] of this.#groups)
      if (stories.length === 0) this.leaveOut("A PBI without stories", 1, title);
    const pbis = [...this.#groups]
      .filter(([, { stories }]) => stories.length > 0)
      .map(([title, group]) => ({ title, ...group }));
    const stories = pbis.reduce((sum, pbi) => sum + pbi.stories.length, 0);
    if (stories === 0)
      throw new ContractError(
        422,
        "There is nothing to import in this file. Check the file and its format.",
      );
    if (stories > importLimits.stories || this.#tasks > importLimits.tasks)
      throw new ContractError(
        422,
        `The file holds more than ${importLimits.stories} stories or ${importLimits.tasks} tasks. Import it in parts.`,
      );
    const left_out = [...this.#leftOut].map(([reason, { count, names }]) => {
      const more = count > names.length ? ["…"] : [];
      return {
        count,
        reason: names.length > 0 ? `${reason}: ${[...names, ...more].join(", ")}` : reason,
      };
    });
    return { pbis, left_out, statuses: [...this.#statuses.values()] };
  }

  /** A parent's own state is lost where its parts say otherwise. */
  #tellParent({ id, state }: StoryFields, parts: readonly ImportedTask[]): void {
    const isDone = state === "DONE" && parts.some(({ status }) => status !== "DONE");
    const isStarted = state === "IN_PROGRESS" || state === "REVIEW";
    if (isDone) this.leaveOut("Done, but a part is not: the story stays open", 1, id);
    if (isStarted && parts.length > 0 && parts.every(({ status }) => status === "TO_DO"))
      this.leaveOut("Started, but no part is: the story is to do", 1, id);
  }

  #group(pbi: string) {
    const title = cleanTitle(pbi);
    const known = this.#groups.get(title);
    if (known) return known;
    const group = { description: "", stories: [] };
    this.#groups.set(title, group);
    return group;
  }

  #task(fields: TaskFields): ImportedTask[] {
    const external_id = this.#id(fields.id);
    if (this.#ids.has(external_id)) {
      this.leaveOut("The same id a second time in the file", 1, fields.id);
      return [];
    }
    this.#ids.add(external_id);
    this.#tasks += 1;
    return [
      {
        external_id,
        title: cleanTitle(fields.title),
        description: cleanText(fields.description),
        implementation_plan: fields.implementation_plan
          ? cleanText(fields.implementation_plan)
          : null,
        priority: fields.priority ?? 3,
        status: fields.state,
        estimated_minutes: fields.estimated_minutes ?? null,
        labels: this.#labels(fields.labels),
        created_at: fields.created_at,
      },
    ];
  }

  #id(id: string): string {
    return `${this.#source}:${cleanLine(id)}`.slice(0, 300);
  }

  #labels(names: readonly string[] = []): string[] {
    const known = new Map<string, string>();
    for (const name of names) {
      const label = cleanLine(name.replaceAll(",", " ")).slice(0, 50).trim();
      if (label !== "" && !known.has(label.toLowerCase())) known.set(label.toLowerCase(), label);
    }
    this.leaveOut("More than 20 labels on one story or task", known.size - 20);
    return [...known.values()].slice(0, 20);
  }
}
