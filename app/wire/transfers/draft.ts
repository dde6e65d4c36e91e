import { ContractError } from "../errors";
import { cleanLine, cleanText, cleanTitle, codeOf } from "./clean-text";
import type { ImportDraft, ImportedStory, ImportedTask, ReadStatus } from "./contract";
import { importLimits } from "./contract";
import { LeftOut } from "./left-out";
import { type SourceState, tellsState, toState, type WorkState } from "./state";

/** A story as a format provides it; missing fields get defaults. */
export interface StoryFields {
  id: string;
  code?: string | undefined;
  title: string;
  description?: string | undefined;
  acceptance_criteria?: string;
  priority?: number;
  assignee?: string | null | undefined;
  labels?: readonly string[];
  /** Ids of what it waits for. */
  blocked_by?: readonly string[];
  created_at?: string | undefined;
  state: WorkState;
  /** Becomes a task: stories have no field for a plan. */
  implementation_plan?: string | null;
  estimated_minutes?: number | null;
  log?: ImportedStory["log"];
  ticked?: string[];
  tasks?: readonly TaskFields[];
}

export type TaskFields = Omit<StoryFields, "acceptance_criteria" | "assignee" | "log" | "ticked" | "tasks">;

/** How a tool says where work stands. */
interface Standing {
  word: string;
  /** What the tool's own fields say. They count more than the word, which people choose. */
  told?: SourceState | undefined;
  isKnown?: boolean;
  /** The word as the preview shows it. */
  shown?: string;
}

const mostWords = 50;

/** Collects the content of a file. Texts are cut to fit, and omitted items are counted by reason. */
export class Draft {
  #dependencies = 0;
  readonly #groups = new Map<string, Omit<ImportDraft["pbis"][number], "title">>();
  readonly #ideas = new Map<string, ImportDraft["ideas"][number]>();
  /** Goes into a new product only. */
  definitionOfDone = "";
  readonly leftOut = new LeftOut();
  readonly #statuses = new Map<string, ReadStatus>();
  readonly #ids = new Set<string>();

  /** `own` is the task of a story's own plan or state: what its id ends with, and whether it comes before the parts. */
  constructor(
    private readonly source: string,
    private readonly own = { id: "own", isFirst: false },
  ) {}

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
    if (line !== "" && (before > 0 || this.#statuses.size < mostWords))
      this.#statuses.set(key, { word: line, became, known, count: before + 1 });
  }

  /** Sets a PBI's description; PBIs without stories are not imported. */
  describe(pbi: string, description: string, code?: string): void {
    Object.assign(this.#group(pbi), { description: cleanText(description), code: codeOf(code) });
  }

  /** An idea is known by its title. */
  addIdea({ title, description, ...more }: ImportDraft["ideas"][number]): void {
    const line = cleanTitle(title);
    if (this.#ideas.has(line)) this.leftOut.add("Ideas of the same title", 1, line);
    else this.#ideas.set(line, { title: line, description: cleanText(description), ...more });
  }

  add(pbi: string, fields: StoryFields): void {
    const external_id = this.#newId(fields.id);
    if (external_id === undefined) return;
    const tasks = (fields.tasks ?? []).flatMap((task) => this.#task(task));
    // A story's status follows its tasks, and a story without tasks cannot be run. If they do not show it, one is added.
    const statuses = tasks.map(({ status }) => status);
    if (fields.implementation_plan || !tellsState(statuses, fields.state)) {
      const id = `${fields.id}/${this.own.id}`;
      const description = fields.state === "DONE" ? "" : fields.description;
      const own = this.#task({ ...fields, id, description, code: undefined, labels: [], blocked_by: [] });
      tasks.splice(this.own.isFirst ? 0 : tasks.length, 0, ...own);
    } else if (fields.estimated_minutes) {
      this.leftOut.add("Estimates of stories that have parts", 1, fields.id);
    }
    this.#tellParent(fields, tasks);
    const story: ImportedStory = {
      external_id,
      code: codeOf(fields.code),
      title: cleanTitle(fields.title, cleanLine(fields.code ?? fields.id)),
      description: cleanText(fields.description),
      acceptance_criteria: cleanText(fields.acceptance_criteria),
      priority: fields.priority ?? 3,
      assignee: cleanLine(fields.assignee ?? "").slice(0, 254) || null,
      labels: this.#labels(fields.labels),
      blocked_by: this.#blockers(fields.blocked_by),
      created_at: fields.created_at,
      log: fields.log ?? [],
      ticked: fields.ticked ?? [],
      tasks,
    };
    this.#group(pbi).stories.push(story);
  }

  finish(): ImportDraft {
    for (const [title, { stories }] of this.#groups)
      if (stories.length === 0) this.leftOut.add("A PBI without stories", 1, title);
    const pbis = [...this.#groups]
      .filter(([, { stories }]) => stories.length > 0)
      .map(([title, group]) => ({ title, ...group }));
    if (pbis.length === 0 && this.#ideas.size === 0)
      throw new ContractError(422, "There is nothing to import in this file. Check the file and its format.");
    return {
      pbis,
      ideas: [...this.#ideas.values()],
      definition_of_done: cleanText(this.definitionOfDone),
      left_out: this.leftOut.list(),
      statuses: [...this.#statuses.values()],
    };
  }

  /** A parent's own state is lost where its parts say otherwise. */
  #tellParent({ id, state }: StoryFields, parts: readonly ImportedTask[]): void {
    const isDone = state === "DONE" && parts.some(({ status }) => status !== "DONE");
    const isStarted = state === "IN_PROGRESS" || state === "REVIEW";
    if (isDone) this.leftOut.add("Done, but a part is not: the story stays open", 1, id);
    if (isStarted && parts.length > 0 && parts.every(({ status }) => status === "TO_DO"))
      this.leftOut.add("Started, but no part is: the story is to do", 1, id);
  }

  #group(pbi: string) {
    const title = cleanTitle(pbi);
    const known = this.#groups.get(title);
    if (known) return known;
    const group = { code: null, description: "", stories: [] };
    this.#groups.set(title, group);
    return group;
  }

  #task(fields: TaskFields): ImportedTask[] {
    const external_id = this.#newId(fields.id);
    if (external_id === undefined) return [];
    return [
      {
        external_id,
        code: codeOf(fields.code),
        title: cleanTitle(fields.title, cleanLine(fields.code ?? fields.id)),
        description: cleanText(fields.description),
        implementation_plan: fields.implementation_plan ? cleanText(fields.implementation_plan) : null,
        priority: fields.priority ?? 3,
        status: fields.state,
        estimated_minutes: fields.estimated_minutes ?? null,
        labels: this.#labels(fields.labels),
        blocked_by: this.#blockers(fields.blocked_by),
        created_at: fields.created_at,
      },
    ];
  }

  /** Undefined for an id that the file had before. */
  #newId(id: string): string | undefined {
    const external_id = this.#id(id);
    const size = this.#ids.size;
    if (this.#ids.add(external_id).size > size) return external_id;
    this.leftOut.add("The same id a second time in the file", 1, id);
    return undefined;
  }

  #id(id: string): string {
    return `${this.source}:${cleanLine(id)}`.slice(0, 300);
  }

  #blockers(ids: readonly string[] = []): string[] {
    const room = importLimits.dependencies - this.#dependencies;
    const kept = [...new Set(ids)].slice(0, room);
    this.#dependencies += kept.length;
    this.leftOut.add(`Dependencies beyond ${importLimits.dependencies}`, new Set(ids).size - kept.length);
    return kept.map((id) => this.#id(id));
  }

  #labels(names: readonly string[] = []): string[] {
    const known = new Map<string, string>();
    for (const name of names) {
      const label = cleanLine(name.replaceAll(",", " ")).slice(0, 50).trim();
      if (label !== "" && !known.has(label.toLowerCase())) known.set(label.toLowerCase(), label);
    }
    this.leftOut.add("More than 20 labels on one story or task", known.size - 20);
    return [...known.values()].slice(0, 20);
  }
}
