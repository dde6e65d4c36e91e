import { randomId } from "~/secure-only";
import { isFields, type Signal, type SignalListener } from "./signal";
import { StreamConnection } from "./stream-connection";

/** Browsers allow six connections to a host over http: three remain even if a paused tab keeps its two streams. */
const mostStreams = 3;
/** How long the others have to say what they hold. A spread keeps them from taking a stream all at once. */
const answerMs = 250;
const spreadMs = 250;
const hiddenExtraMs = 500;
/** After so much silence a follower asks whether the holder is still there, and gives it `patienceMs` to answer. */
const silenceMs = 2000;
const patienceMs = 1000;
/** How long a stream that has no place stays open after its greeting. */
const turnMs = 300;

/**
 * The tab that holds a stream forwards everything. Tabs agree by messages, because browsers give locks only to https:
 * the newest claim counts, and a silent holder, which may have crashed, is asked for a sign of life. Of too many
 * streams, hidden tabs' end first (a page reloads when it is seen), and the newest visible ones open in turns.
 */
export class SharedStream {
  readonly #tabId = randomId();
  readonly #listeners = new Set<SignalListener>();
  readonly #log = new GreetingLog();
  /** Who holds which stream, as far as they said so. */
  readonly #claims = new Map<string, Claim>();
  #channel: BroadcastChannel | undefined;
  #connection: StreamConnection | undefined;
  /** When this tab claimed the stream; 0 if it did not. */
  #since = 0;
  #receivedAt = 0;
  #decision: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #isHandedOver = false;

  constructor(
    private readonly channelName: string,
    private readonly url: string,
  ) {}

  /**
   * Adds a listener. The first one starts the stream, and removing the last one ends it. A page takes it over from the
   * one before, in the same turn, and missed nothing: what came while it loaded has asked for a revalidation.
   */
  listen(listener: SignalListener): () => void {
    this.#listeners.add(listener);
    if (this.#isHandedOver) listener(this.#log.status);
    else if (this.#listeners.size === 1) this.#start();
    else this.#catchUp(listener);
    return () => {
      this.#listeners.delete(listener);
      this.#isHandedOver = true;
      queueMicrotask(() => {
        if (this.#isHandedOver && this.#listeners.size === 0) this.#stop();
        this.#isHandedOver = false;
      });
    };
  }

  #catchUp(listener: SignalListener): void {
    const signals = this.#log.replay();
    if (signals) for (const signal of signals) listener(signal);
    else this.#restart();
  }

  #start(): void {
    for (const [target, type, handler] of this.#moments()) target.addEventListener(type, handler);
    this.#begin();
  }

  #stop(): void {
    for (const [target, type, handler] of this.#moments()) target.removeEventListener(type, handler);
    this.#end();
  }

  #moments(): [EventTarget, string, () => void][] {
    return [
      [window, "pagehide", this.#end],
      [window, "pageshow", this.#begin],
      [document, "freeze", this.#end],
      [document, "resume", this.#begin],
      [document, "visibilitychange", this.#onVisibility],
    ];
  }

  #begin = (): void => {
    if (this.#channel) return;
    this.#channel = new BroadcastChannel(this.channelName);
    this.#channel.onmessage = ({ data }) => this.#heard(data);
    this.#watch = setInterval(() => this.#look(), silenceMs);
    this.#decide(answerMs, true);
  };

  /** A page that closes, freezes or waits in the back/forward cache holds no connection. */
  #end = (): void => {
    this.#release();
    clearTimeout(this.#decision);
    clearInterval(this.#watch);
    this.#channel?.close();
    this.#channel = undefined;
  };

  #onVisibility = (): void => {
    if (this.#since > 0) this.#forward([], null);
    else if (!isHidden()) this.#decide(answerMs, false);
  };

  /** Asks who holds what, and takes the stream if no tab has it. A new tab also asks what was sent before. */
  #decide(waitMs: number, isNew: boolean): void {
    clearTimeout(this.#decision);
    this.#claims.clear();
    this.#say({ kind: "ask", from: this.#tabId, url: this.url, isNew });
    const extraMs = Math.random() * spreadMs + (isHidden() ? hiddenExtraMs : 0);
    this.#decision = setTimeout(() => this.#take(), waitMs + extraMs);
  }

  #take(): void {
    if (this.#connection || this.#claims.has(this.url)) return;
    const now = Date.now();
    if (this.#mayResumeAt(now)) this.#since = now;
    else if (isHidden()) return;
    this.#connect();
    if (this.#since > 0) this.#forward([], null);
  }

  /** Visible tabs come first, then earlier claims. */
  #mayResumeAt(since: number): boolean {
    const own = isHidden();
    const isBefore = (claim: Claim) => claim.url !== this.url && (claim.isHidden === own ? claim.since <= since : own);
    return [...this.#claims.values()].filter(isBefore).length < mostStreams;
  }

  #connect(): void {
    const isFirst = this.#log.isEmpty;
    const connection = new StreamConnection(this.url, (signal) => {
      if (!isFirst && signal.type === "status" && signal.status === "connecting") return;
      this.#pass(signal);
      if (this.#since > 0) this.#forward([signal], null);
      else if (isGreeting(signal)) setTimeout(() => this.#endTurn(connection), turnMs);
    });
    this.#connection = connection;
    connection.start();
  }

  /** The next turn begins when this tab looks again. */
  #endTurn(connection: StreamConnection): void {
    if (this.#connection === connection && this.#since === 0) this.#giveUp();
  }

  #restart(): void {
    if (!this.#connection) return;
    this.#connection.close();
    this.#connect();
  }

  #release(): void {
    if (this.#since > 0) this.#say({ kind: "left", from: this.#tabId, url: this.url });
    this.#giveUp();
  }

  #giveUp(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.#since = 0;
  }

  /** Hidden tabs do not look: browsers slow their clocks down. */
  #look(): void {
    if (this.#connection || isHidden() || Date.now() - this.#receivedAt < silenceMs) return;
    this.#decide(this.#claims.has(this.url) ? patienceMs : answerMs, false);
  }

  #pass(signal: Signal): void {
    this.#log.add(signal);
    for (const listener of [...this.#listeners]) listener(signal);
  }

  #say(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }

  #forward(signals: readonly Signal[], to: string | null): void {
    const claim = { from: this.#tabId, url: this.url, since: this.#since, isHidden: isHidden() };
    this.#say({ kind: "held", ...claim, to, signals });
  }

  #heard(message: unknown): void {
    if (!isTabMessage(message)) return;
    if (message.kind === "ask") this.#answer(message);
    else if (message.kind === "left") this.#heardLeave(message);
    else if (message.url === this.url) this.#heardRival(message);
    else this.#heardOther(message);
  }

  #answer({ from, url, isNew }: Ask): void {
    if (this.#since === 0) return;
    const signals = isNew && url === this.url ? this.#log.replay() : [];
    if (signals) this.#forward(signals, from);
    else this.#restart();
  }

  #heardLeave({ from, url }: Leave): void {
    if (this.#claims.get(url)?.from !== from) return;
    this.#claims.delete(url);
    if (url === this.url && !this.#connection) this.#decide(answerMs, false);
  }

  #heardRival(claim: Claim): void {
    const isNewer = claim.since - this.#since || (claim.from > this.#tabId ? 1 : -1);
    if (isNewer < 0) {
      this.#forward([], claim.from);
      return;
    }
    this.#giveUp();
    this.#claims.set(claim.url, claim);
    this.#receivedAt = Date.now();
    if (claim.to !== null && claim.to !== this.#tabId) return;
    for (const signal of claim.signals) this.#pass(signal);
  }

  #heardOther(claim: Claim): void {
    this.#claims.set(claim.url, claim);
    if (this.#since > 0 && !this.#mayResumeAt(this.#since)) this.#release();
  }
}

const isHidden = () => document.visibilityState === "hidden";

const streams = new Map<string, SharedStream>();

/** Returns this tab's shared stream for an address. The channel's name keeps two users of one browser apart. */
export function sharedStream(userId: string, url: string): SharedStream {
  const key = `${userId}:${url}`;
  const stream = streams.get(key) ?? new SharedStream(`backloom:${userId}`, url);
  streams.set(key, stream);
  return stream;
}

type Leave = { kind: "left"; from: string; url: string };

interface Ask {
  kind: "ask";
  from: string;
  url: string;
  /** Whether it has heard nothing yet and wants all since the last greeting. */
  isNew: boolean;
}

/** Sent by the tab that holds a stream: with what came, or as a sign of life. */
interface Claim {
  kind: "held";
  from: string;
  url: string;
  since: number;
  isHidden: boolean;
  /** The tab that the signals are for; null for all. */
  to: string | null;
  signals: readonly Signal[];
}

type TabMessage = Leave | Ask | Claim;

/** Validates messages, because another tab may run another version of the page. */
function isTabMessage(value: unknown): value is TabMessage {
  if (!isFields(value) || typeof value.from !== "string" || typeof value.url !== "string") return false;
  if (value.kind !== "held") return value.kind === "ask" || value.kind === "left";
  return typeof value.since === "number" && Array.isArray(value.signals) && value.signals.every(isSignal);
}

function isSignal(value: unknown): value is Signal {
  if (!isFields(value)) return false;
  if (value.type === "status") return typeof value.status === "string";
  if (value.type === "named") return typeof value.name === "string";
  return value.type === "change";
}

const isGreeting = (signal: Signal) => signal.type === "named" && (signal.name === "ready" || signal.name === "state");
const longestLog = 500;

/** A joining tab needs status, last greeting and changes. `replay` is undefined if there were too many: reopen then. */
export class GreetingLog {
  status: Signal = { type: "status", status: "connecting" };
  #signals: Signal[] = [];
  #isTooLong = false;

  get isEmpty(): boolean {
    return this.#signals.length === 0;
  }

  add(signal: Signal): void {
    if (signal.type === "status") {
      this.status = signal;
      return;
    }
    if (isGreeting(signal)) {
      this.#signals = [];
      this.#isTooLong = false;
    }
    if (this.#signals.length >= longestLog) this.#isTooLong = true;
    else this.#signals.push(signal);
  }

  replay(): readonly Signal[] | undefined {
    return this.#isTooLong ? undefined : [this.status, ...this.#signals];
  }
}
