import { principalSchema } from "~/wire/accounts/contract";
import { answerOrRefuse, CallFailure } from "./call-failure.server";
import { attemptsOf, type Transport } from "./statement.server";

/** How long (ms) a call waits for one of its user's slots; the same as for a connection. */
const longestWait = 5_000;
const mostKnown = 10_000;

/** Returns the user of a credential, or rejects unknown credentials. */
type FindUser = (credential: unknown) => Promise<string>;

/** Wraps a transport's calls so that one user never holds more than half of its connections. */
export function answerInSlots(connections: number, callAtOnce: Transport["call"]): Transport["call"] {
  const slots = new UserSlots(Math.max(1, Math.floor(connections / 2)), async (credential) => {
    const answer = await callAtOnce("authenticate", { p_credential: credential });
    return principalSchema.pick({ user_id: true }).parse(JSON.parse(answer)).user_id;
  });
  return (door, values) => {
    const call = () => callAtOnce(door, values);
    const isForUser = values.p_credential !== undefined;
    return answerOrRefuse(isForUser ? () => slots.inSlot(values.p_credential, call) : call, attemptsOf(values));
  };
}

/** Connections one user's calls may use at once, so that others find one. All credentials of a user count together. */
class UserSlots {
  readonly #known = new Map<string, Promise<string>>();
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(
    private readonly most: number,
    private readonly findUser: FindUser,
  ) {}

  async inSlot<T>(credential: unknown, work: () => Promise<T>): Promise<T> {
    const user = await this.#userOf(credential);
    await this.#take(user);
    try {
      return await work();
    } finally {
      this.#leave(user);
    }
  }

  #userOf(credential: unknown): Promise<string> {
    const key = JSON.stringify(credential);
    const known = this.#known.get(key);
    if (known) return known;
    const user = this.findUser(credential);
    this.#known.set(key, user);
    user.catch(() => this.#known.delete(key));
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
    return user;
  }

  async #take(user: string): Promise<void> {
    const taken = this.#taken.get(user) ?? 0;
    if (taken < this.most) {
      this.#taken.set(user, taken + 1);
      return;
    }
    await this.#wait(user);
  }

  /** Resolves once an ended call hands over its slot. */
  #wait(user: string): Promise<void> {
    const line = this.#waiting.get(user) ?? new Set();
    this.#waiting.set(user, line);
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(patience);
        resolve();
      };
      const patience = setTimeout(() => {
        line.delete(go);
        const message = "too many calls of one user at a time";
        reject(new CallFailure({ code: "08001", message, detail: null }, "nothing happened"));
      }, longestWait);
      line.add(go);
    });
  }

  /** Hands the slot to the call that has waited longest, or frees it. */
  #leave(user: string): void {
    const line = this.#waiting.get(user);
    const [next] = line ?? [];
    if (next) {
      line?.delete(next);
      next();
      return;
    }
    this.#waiting.delete(user);
    const taken = (this.#taken.get(user) ?? 1) - 1;
    if (taken > 0) this.#taken.set(user, taken);
    else this.#taken.delete(user);
  }
}
