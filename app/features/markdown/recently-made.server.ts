/** A cache of results limited by size. Evicts the oldest entries first. */
export class RecentlyMade<Made> {
  readonly #entries = new Map<string, { made: Made; size: number }>();
  #size = 0;

  /** `most`: maximum total size, in the unit passed to `keep`. */
  constructor(private readonly most: number) {}

  get(key: string): Made | undefined {
    return this.#entries.get(key)?.made;
  }

  keep(key: string, made: Made, size: number): void {
    this.#forget(key);
    this.#entries.set(key, { made, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.most) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }
}
