/** Pages and programs are two bundles with a class each: both know the other's by this. */
const mark = Symbol.for("backloom.written-json");

/** JSON text that Postgres gets as it is: a large one is neither parsed nor written again in the thread that answers everyone. */
export class WrittenJson {
  readonly [mark] = true;

  constructor(readonly text: string) {}

  /** For supabase-js, which writes the whole call itself. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }

  static [Symbol.hasInstance](value: unknown): value is WrittenJson {
    return typeof value === "object" && value !== null && mark in value;
  }
}
