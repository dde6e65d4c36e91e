import { ContractError } from "~/wire/errors";

/** Uploads of one account that are read and kept at a time: the body of each is held in memory as a whole. */
const most = 2;
const mostWaiting = 20;

/** Uploads of an account take turns, before their bodies are read. One map a process. */
export class UploadSlots {
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Runs `work` once the account has a slot; `gone` says that no one waits for it any more. */
  async inPlace<T>(userId: string, gone: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#take(userId);
    try {
      if (gone.aborted) throw new ContractError(400, "The upload was broken off. Send it again.");
      return await work();
    } finally {
      this.#leave(userId);
    }
  }

  async #take(userId: string): Promise<void> {
    const taken = this.#taken.get(userId) ?? 0;
    if (taken < most) {
      this.#taken.set(userId, taken + 1);
      return;
    }
    const line = this.#waiting.get(userId) ?? [];
    if (line.length >= mostWaiting)
      throw new ContractError(
        429,
        `${mostWaiting} uploads of your account wait already. Send this one when some of them have ended.`,
        { retryAfter: 5 },
      );
    this.#waiting.set(userId, line);
    await new Promise<void>((go) => void line.push(go));
  }

  /** Hands the slot to the upload that has waited longest, or frees it. */
  #leave(userId: string): void {
    const next = this.#waiting.get(userId)?.shift();
    if (next) {
      next();
      return;
    }
    this.#waiting.delete(userId);
    const left = (this.#taken.get(userId) ?? 1) - 1;
    if (left > 0) this.#taken.set(userId, left);
    else this.#taken.delete(userId);
  }
}
