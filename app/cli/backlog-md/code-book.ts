import { codePattern, maximumCodeLength } from "~/contract/codes";
import type { Note } from "./conversion";

/** Hands out codes: an id of the folder stays the code where it can, else the service generates one. */
export class CodeBook {
  readonly #taken = new Set<string>();
  readonly #notes: Note[];

  constructor(notes: Note[]) {
    this.#notes = notes;
  }

  take(kind: "pbi" | "story" | "task", id: string, source: string): string | null {
    const key = `${kind} ${id}`;
    if (id.length > maximumCodeLength || !codePattern.test(id)) {
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
}
