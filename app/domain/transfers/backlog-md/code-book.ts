import type { Note } from "./conversion";

const codeForm = /^[A-Za-z0-9._-]{1,30}$/;

/** Hands out codes: an id of the folder stays the code where it can, else the service generates one. */
export class CodeBook {
  readonly #taken = new Set<string>();
  readonly #notes: Note[];

  constructor(notes: Note[]) {
    this.#notes = notes;
  }

  take(kind: "pbi" | "story" | "task", id: string, source: string): string | null {
    const key = `${kind} ${id}`;
    if (!codeForm.test(id)) {
      this.#notes.push({ source, note: `${id} cannot be a code here: a generated code is used` });
      return null;
    }
    if (this.#taken.has(key)) {
      this.#notes.push({
        source,
        note: `another ${kind} has the code ${id}: a generated code is used`,
      });
      return null;
    }
    this.#taken.add(key);
    return id;
  }

  /** Where the counters of generated codes begin, so that they never meet a code that an id has taken. */
  counters(): Record<string, number> {
    const last = { pbi: 0, story: 0, task: 0 };
    for (const key of this.#taken) {
      const [, kind, number] = /^(pbi PBI|story ST|task T)-(\d{1,15})$/.exec(key) ?? [];
      if (kind === "pbi PBI") last.pbi = Math.max(last.pbi, Number(number));
      if (kind === "story ST") last.story = Math.max(last.story, Number(number));
      if (kind === "task T") last.task = Math.max(last.task, Number(number));
    }
    return last;
  }
}
