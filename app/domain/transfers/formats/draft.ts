import { ContractError } from "~/contract/errors";
import { titleLimit } from "~/contract/exported-parts";
import type { ImportDraft, ImportedStory, ImportedTask } from "~/contract/import";
import { importLimits } from "~/contract/import";
import { toState } from "../backlog-md/state";

export type State = "TO_DO" | "IN_PROGRESS" | "REVIEW" | "DONE";

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
  state: State;
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
  state: State;
}

/** Collects the content of a file. Texts are cut to fit, and omitted items are counted by reason. */
export class Draft {
  readonly #source: string;
  readonly #groups = new Map<string, { description: string; stories: ImportedStory[] }>();
  readonly #leftOut = new Map<string, number>();
  readonly #ids = new Set<string>();
  #tasks = 0;

  constructor(source: string) {
    this.#source = source;
  }

  leaveOut(reason: string, count = 1): void {
    if (count > 0) this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + count);
  }

  /** Sets a PBI's description; PBIs without stories are not imported. */
  describe(pbi: string, description: string): void {
    this.#group(pbi).description = cleanText(description);
  }

  add(pbi: string, fields: StoryFields): void {
    const external_id = this.#id(fields.id);
    if (this.#ids.has(external_id)) {
      this.leaveOut("The same id a second time in the file");
      return;
    }
    this.#ids.add(external_id);
    const own = fields.tasks ?? [];
    const tasks = own.flatMap((task) => this.#task(task));
    // A story's status follows its tasks. If they do not show it, another task is added.
    if (!tellState(tasks, fields.state))
      tasks.push(...this.#task({ ...fields, id: `${fields.id}/own`, description: "", labels: [] }));
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
    return { pbis, left_out: [...this.#leftOut].map(([reason, count]) => ({ count, reason })) };
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
      this.leaveOut("The same id a second time in the file");
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

/** True if the tasks alone show their story's state. */
function tellState(tasks: readonly ImportedTask[], state: State): boolean {
  if (tasks.length === 0) return state === "TO_DO";
  return state === "DONE" || !tasks.every(({ status }) => status === "DONE");
}

/** Maps another tool's status; null for dropped work. Unknown ones are to do. */
export function stateOf(...words: readonly (string | null | undefined)[]): State | null {
  for (const word of words) {
    const state = word ? toState(word) : undefined;
    if (state === "dropped") return null;
    if (state !== undefined) return state;
  }
  return "TO_DO";
}

export function timeOf(value: string | undefined): string | undefined {
  const time = value ? new Date(value) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}

/** Appends comments to the description. */
export function withComments(text: string, comments: readonly string[]): string {
  const said = comments.filter((comment) => comment.trim() !== "");
  return said.length === 0 ? text : `${text}\n\n## Comments\n\n${said.join("\n\n---\n\n")}`.trim();
}

const mostText = 90_000;

function cleanText(text = ""): string {
  const clean = text
    .replaceAll("\0", "")
    .replaceAll("\r\n", "\n")
    .replace(/\p{Surrogate}/gu, "")
    .trim();
  return clean.length <= mostText
    ? clean
    : `${clean.slice(0, mostText).replace(/\p{Surrogate}/gu, "")}…`;
}

function cleanLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/\p{Surrogate}/gu, "")
    .trim();
}

function cleanTitle(text: string): string {
  const letters = [...cleanLine(text)];
  if (letters.length === 0) return "Untitled";
  return letters.length <= titleLimit - 40
    ? letters.join("")
    : `${letters.slice(0, titleLimit - 41).join("")}…`;
}

/** Keeps keys such as ENG-12, but not those that look like codes generated here. */
function codeOf(code: string | undefined): string | null {
  if (!code || !/^[A-Za-z0-9._-]{1,30}$/.test(code)) return null;
  return /^(?:PBI|ST|T|SP|IDEA)-/i.test(code) ? null : code;
}
