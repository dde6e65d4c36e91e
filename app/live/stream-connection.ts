import type { SignalListener } from "./signal";

const namedEvents = ["ready", "jobs", "workers", "state"];
/** Named events that are changes, too. Each has its own shape. */
const namedChanges = ["job", "output", "inbox"];
/** The server ends each stream after 240 s. A connection that was not reopened for longer is dead. */
const longestLifeMs = 260_000;
const watchMs = 10_000;
const firstRetryMs = 2000;
const longestRetryMs = 30_000;

/** Reopens after sleep, lost network and errors that end an EventSource. A refusal (401, 403, 404, 410) is final. */
export class StreamConnection {
  #source: EventSource | undefined;
  #openedAt = 0;
  #watchedAt = 0;
  #retryMs = firstRetryMs;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly listener: SignalListener,
  ) {}

  start(): void {
    this.#status("connecting");
    this.#watchedAt = Date.now();
    this.#watch = setInterval(() => this.#look(), watchMs);
    addEventListener("online", this.#restart);
    addEventListener("offline", this.#offline);
    this.#open();
  }

  close(): void {
    this.#isClosed = true;
    this.#source?.close();
    clearTimeout(this.#retry);
    clearInterval(this.#watch);
    removeEventListener("online", this.#restart);
    removeEventListener("offline", this.#offline);
  }

  #status(status: "connecting" | "live" | "reconnecting" | "offline" | "refused"): void {
    this.listener({ type: "status", status });
  }

  #open(): void {
    const source = new EventSource(this.url);
    this.#source = source;
    this.#openedAt = Date.now();
    source.onopen = () => {
      this.#openedAt = Date.now();
      this.#retryMs = firstRetryMs;
    };
    source.onmessage = ({ data }) => this.listener({ type: "change", data: JSON.parse(data) });
    for (const name of namedEvents) {
      source.addEventListener(name, ({ data }) => this.#greeted(name, JSON.parse(data)));
    }
    for (const name of namedChanges) {
      source.addEventListener(name, ({ data }) => this.listener({ type: "change", data: JSON.parse(data) }));
    }
    // Receives both the server's event named `error` and the browser's own error event.
    source.addEventListener("error", (event) => {
      const isFromServer = event instanceof MessageEvent;
      if (isFromServer || source.readyState === EventSource.CONNECTING) this.#status("reconnecting");
      else if (this.#source === source) void this.#afterRefusal();
    });
  }

  #greeted(name: string, data: unknown): void {
    if (name === "ready" || name === "state") this.#status("live");
    this.listener({ type: "named", name, data });
  }

  #restart = (): void => {
    if (this.#isClosed) return;
    this.#source?.close();
    clearTimeout(this.#retry);
    this.#status("reconnecting");
    this.#open();
  };

  #offline = (): void => this.#status("offline");

  /** Restarts after a gap in the clock: the machine slept, and the connection may look open but be dead. */
  #look(): void {
    const now = Date.now();
    const slept = now - this.#watchedAt > 3 * watchMs;
    this.#watchedAt = now;
    if (slept || now - this.#openedAt > longestLifeMs) this.#restart();
  }

  /** EventSource does not tell why it gave up, so the address is fetched once to get the status. */
  async #afterRefusal(): Promise<void> {
    const status = await statusOf(this.url);
    if (this.#isClosed) return;
    if (status !== undefined && [401, 403, 404, 410].includes(status)) {
      this.close();
      this.#status("refused");
      return;
    }
    this.#status("reconnecting");
    this.#retry = setTimeout(this.#restart, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
  }
}

async function statusOf(url: string): Promise<number | undefined> {
  const request = new AbortController();
  try {
    const { status } = await fetch(url, { signal: request.signal });
    return status;
  } catch {
    return undefined;
  } finally {
    request.abort();
  }
}
