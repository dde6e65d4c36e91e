import { cleanLine } from "./clean-text";
import type { ImportDraft } from "./contract";

const fewNames = 5;
const noPlace = "Fields without a place here";

/** Counts by reason what is not imported, and names the first of it. */
export class LeftOut {
  readonly #reasons = new Map<string, { count: number; names: Set<string>; most: number }>();

  add(reason: string, count = 1, name = "", most = fewNames): void {
    if (count <= 0) return;
    const known = this.#reasons.get(reason) ?? { count: 0, names: new Set(), most };
    if (name !== "" && known.names.size <= most) known.names.add(cleanLine(name).slice(0, 100));
    this.#reasons.set(reason, { ...known, count: known.count + count });
  }

  /** Counts a field that no part of the format's reader asks for, so that a new one of the tool is not lost unseen. */
  addField(name: string, count = 1): void {
    this.add(noPlace, count, name, 200);
  }

  /** Counts the fields that a schema does not have. */
  addUnread(kind: string, given: object, shape: object): void {
    for (const [name, value] of Object.entries(given))
      if (!Object.hasOwn(shape, name) && saysSomething(value)) this.addField(`${kind}${name}`);
  }

  list(): ImportDraft["left_out"] {
    return [...this.#reasons].map(([reason, { count, names, most }]) => {
      const shown = [...names].slice(0, most);
      const all = names.size > most ? [...shown, "…"] : shown;
      return { count, reason: all.length > 0 ? `${reason}: ${all.join(", ")}` : reason };
    });
  }
}

function saysSomething(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
