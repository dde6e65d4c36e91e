/** Debounce that merges changes into one revalidation, and the longest wait after the first change. */
const joinMs = 150;
const longestWaitMs = 1000;

/**
 * Decides when a page reloads its data: nearby changes share one revalidation, one runs at a time, none runs during a
 * submission or navigation, and a hidden tab waits until it is visible.
 */
export class RevalidationSchedule {
  readonly #revalidate: () => void;
  readonly #isSubmitting: () => boolean;
  #firstAskedAt: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isIdle = true;
  #isVisible = true;

  /** `isSubmitting` knows of a submission at once; `update` is called a little later. */
  constructor(revalidate: () => void, isSubmitting: () => boolean) {
    this.#revalidate = revalidate;
    this.#isSubmitting = isSubmitting;
  }

  ask(): void {
    this.#firstAskedAt ??= Date.now();
    this.#plan();
  }

  update({ isIdle, isVisible }: { isIdle: boolean; isVisible: boolean }): void {
    this.#isIdle = isIdle;
    this.#isVisible = isVisible;
    this.#plan();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#firstAskedAt = undefined;
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#firstAskedAt === undefined || !this.#isIdle || !this.#isVisible) return;
    const left = this.#firstAskedAt + longestWaitMs - Date.now();
    this.#timer = setTimeout(() => this.#run(), Math.max(0, Math.min(joinMs, left)));
  }

  #run(): void {
    this.#firstAskedAt = undefined;
    if (this.#isSubmitting()) this.ask();
    else this.#revalidate();
  }
}
