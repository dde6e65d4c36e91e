import { randomId, secureOnly } from "~/secure-only";
import { isFields, type Signal, type SignalListener } from "./signal";
import { StreamConnection } from "./stream-connection";

/**
 * One stream shared by all tabs of this browser, because browsers allow only six connections to a host. The tab with
 * the lock holds the connection and forwards everything; when it closes, the next tab gets the lock. Without lock or
 * channel support, each tab opens its own connection.
 */
export class SharedStream {
  readonly #name: string;
  readonly #url: string;
  readonly #tabId = randomId();
  readonly #listeners = new Set<SignalListener>();
  readonly #log = new GreetingLog();
  #channel: BroadcastChannel | undefined;
  #connection: StreamConnection | undefined;
  #stopping: AbortController | undefined;

  constructor(name: string, url: string) {
    this.#name = name;
    this.#url = url;
  }

  /** Adds a listener. The first one starts the stream, and removing the last one ends it. */
  listen(listener: SignalListener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#start();
    else this.#catchUp(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  #catchUp(listener: SignalListener): void {
    const signals = this.#log.replay();
    if (signals) for (const signal of signals) listener(signal);
    else this.#restart();
  }

  #start(): void {
    addEventListener("pagehide", this.#onPageHide);
    addEventListener("pageshow", this.#onPageShow);
    this.#begin();
  }

  #stop(): void {
    removeEventListener("pagehide", this.#onPageHide);
    removeEventListener("pageshow", this.#onPageShow);
    this.#end();
  }

  #begin(): void {
    this.#stopping = new AbortController();
    if (!secureOnly.locks || typeof BroadcastChannel === "undefined") {
      this.#connect();
      return;
    }
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }) => this.#heard(data);
    void this.#lead(secureOnly.locks, this.#stopping.signal);
    this.#say({ kind: "hello", from: this.#tabId });
  }

  #end(): void {
    this.#stopping?.abort();
    this.#connection?.close();
    this.#connection = undefined;
    this.#channel?.close();
    this.#channel = undefined;
  }

  /** Waits for the lock and holds it until this tab stops. */
  async #lead(locks: LockManager, stopping: AbortSignal): Promise<void> {
    try {
      await locks.request(this.#name, { signal: stopping }, () => {
        if (stopping.aborted) return;
        this.#connect();
        return new Promise<void>((resolve) =>
          stopping.addEventListener("abort", () => resolve(), { once: true }),
        );
      });
    } catch (error) {
      if (!stopping.aborted) throw error;
    }
  }

  #connect(): void {
    this.#connection = new StreamConnection(this.#url, (signal) => {
      this.#pass(signal);
      this.#say({ kind: "signals", to: null, signals: [signal] });
    });
    this.#connection.start();
  }

  #restart(): void {
    if (!this.#connection) return;
    this.#connection.close();
    this.#connect();
  }

  #pass(signal: Signal): void {
    this.#log.add(signal);
    for (const listener of [...this.#listeners]) listener(signal);
  }

  #say(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }

  #heard(data: unknown): void {
    if (!isTabMessage(data)) return;
    const message = data;
    if (message.kind === "hello") this.#answer(message.from);
    else if (!this.#connection && (message.to === null || message.to === this.#tabId)) {
      for (const signal of message.signals) this.#pass(signal);
    }
  }

  #answer(newcomer: string): void {
    if (!this.#connection) return;
    const signals = this.#log.replay();
    if (signals) this.#say({ kind: "signals", to: newcomer, signals: [...signals] });
    else this.#restart();
  }

  /** A page in the back/forward cache holds no connection. When shown again, it reconnects and gets its state. */
  #onPageHide = (): void => this.#end();

  #onPageShow = (event: PageTransitionEvent): void => {
    if (event.persisted) this.#begin();
  };
}

const streams = new Map<string, SharedStream>();

/** Returns this tab's shared stream for an address. Its name keeps two users of one browser apart. */
export function sharedStream(userId: string, url: string): SharedStream {
  const name = `backloom:${userId}:${url}`;
  const known = streams.get(name);
  if (known) return known;
  const stream = new SharedStream(name, url);
  streams.set(name, stream);
  return stream;
}

/** Messages between tabs: a new tab says hello, and the tab with the connection sends signals. */
type TabMessage =
  | { kind: "hello"; from: string }
  | { kind: "signals"; to: string | null; signals: Signal[] };

/** Validates messages, because another tab may run another version of the page. */
function isTabMessage(value: unknown): value is TabMessage {
  if (!isFields(value)) return false;
  if (value.kind === "hello") return typeof value.from === "string";
  return value.kind === "signals" && Array.isArray(value.signals) && value.signals.every(isSignal);
}

function isSignal(value: unknown): value is Signal {
  if (!isFields(value)) return false;
  if (value.type === "status") return typeof value.status === "string";
  if (value.type === "named") return typeof value.name === "string";
  return value.type === "change";
}

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
