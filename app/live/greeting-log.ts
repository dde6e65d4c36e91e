import type { Signal } from "./signal";

const named = (signal: Signal, name: string) => signal.type === "named" && signal.name === name;
const longestLog = 500;

/**
 * What a tab needs to join a running stream: the status, the last greeting and every change since. `replay` returns
 * undefined if there were too many changes; the stream must then be reopened.
 */
export class GreetingLog {
  #status: Signal = { type: "status", status: "connecting" };
  #signals: Signal[] = [];
  #isTooLong = false;

  add(signal: Signal): void {
    if (signal.type === "status") {
      this.#status = signal;
      return;
    }
    if (named(signal, "ready") || named(signal, "state")) {
      this.#signals = [];
      this.#isTooLong = false;
    }
    if (this.#signals.length >= longestLog) this.#isTooLong = true;
    else this.#signals.push(signal);
  }

  replay(): readonly Signal[] | undefined {
    return this.#isTooLong ? undefined : [this.#status, ...this.#signals];
  }
}
