/** So much may wait for one of them. */
const mostWaiting = 500;

/** What waits, by whom it is for: they come in turn, and what is for one of them comes in its order. */
export class Turns<Waiting> {
  readonly #lines = new Map<string, Set<Waiting>>();

  get size(): number {
    return this.all().length;
  }

  all(): Waiting[] {
    return [...this.#lines.values()].flatMap((line) => [...line]);
  }

  /** False when too much waits for this one already. */
  add(name: string, waiting: Waiting): boolean {
    const line = this.#lines.get(name) ?? new Set();
    if (line.size >= mostWaiting) return false;
    this.#lines.set(name, line.add(waiting));
    return true;
  }

  /** The first of the one whose turn it is, who then comes after all others. */
  take(): Waiting | undefined {
    for (const [name, line] of this.#lines) {
      this.#lines.delete(name);
      const [first] = line;
      if (first === undefined) continue;
      line.delete(first);
      if (line.size > 0) this.#lines.set(name, line);
      return first;
    }
    return undefined;
  }

  remove(waiting: Waiting): void {
    for (const line of this.#lines.values()) line.delete(waiting);
  }
}
