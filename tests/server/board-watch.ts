import { setTimeout as wait } from "node:timers/promises";
import type { Actor } from "~/db/rpc.server";
import { getSoloBoard } from "~/nouns/pages/operations.server";
import { bearer } from "../setup/world";
import { openStream } from "../streams/stream-reader";

/** What Chromium waits before it opens a lost stream again. */
const againMilliseconds = 3_000;

/** Reads a product's board with every message of its stream, as the page does, also after the service was killed. */
export function watchBoard(url: string, token: string, actor: Actor, productId: string) {
  const address = `${url}/api/realtime/backlog?product_id=${productId}`;
  const sights: { holder: string | null; at: number }[] = [];
  const over = new AbortController();
  let wake = () => {};
  const look = async () => {
    const stream = await openStream(address, bearer(token));
    over.signal.addEventListener("abort", () => stream.close());
    for (;;) {
      await stream.next();
      const { tasks } = await getSoloBoard(actor, { product_id: productId });
      sights.push({ holder: tasks[0]?.holder_name ?? null, at: Date.now() });
      wake();
    }
  };
  void (async () => {
    while (!over.signal.aborted) {
      await look().catch(() => wait(againMilliseconds, undefined, { signal: over.signal }));
    }
  })().catch(() => {});
  return {
    close: () => over.abort(),
    /** How many milliseconds after that moment the board showed who has the task; waits until it does. */
    async shows(holder: string | null, since: string | null): Promise<number> {
      const from = new Date(String(since)).getTime();
      for (;;) {
        const sight = sights.find((one) => one.holder === holder && one.at >= from);
        if (sight) return sight.at - from;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
