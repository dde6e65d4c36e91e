import { afterAll } from "vitest";

const open: (() => Promise<unknown>)[] = [];

/** Runs when the file is over, last first. Unlike `afterAll` it may also be called in `beforeAll`, where Vitest hears of no hook. */
export function atTheEnd(work: () => Promise<unknown>): void {
  open.push(work);
}

// A set-up file of each test file, so that this hook is the first registered and the last run.
afterAll(async () => {
  for (const work of open.splice(0).reverse()) await work();
});
