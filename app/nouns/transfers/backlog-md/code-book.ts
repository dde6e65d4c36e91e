import type { Note } from "./conversion";

const codeForm = /^[A-Za-z0-9._-]{1,30}$/;

/** Assigns codes: the folder's id if it is valid and free, otherwise null, and the service generates one. */
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

  /** Start values of the code counters, so that generated codes never collide with imported ones. */
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
