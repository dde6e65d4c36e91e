const open: (() => Promise<unknown>)[] = [];

/** Runs when the file is over, last first. Unlike `afterAll` it may also be called in `beforeAll`, where Vitest hears of no hook. */
export function atTheEnd(work: () => Promise<unknown>): void {
  open.push(work);
}

/** For the set-up of each file, which Vitest loads again while this module remains. */
export async function end(): Promise<void> {
  for (const work of open.splice(0).reverse()) await work();
}
