import { openLoop } from "./open-loop";
import { sharedNow } from "./processes";
import type { BenchWorld } from "./world";

/** Where requests go, and as whom. */
export interface Door {
  origin: string;
  headers: Record<string, string>;
}

/** Changes one task after the other, so many a second; answers which was sent when. */
export async function patchFor(
  seconds: number,
  perSecond: number,
  { origin, headers }: Door,
  { taskIds }: Pick<BenchWorld, "taskIds">,
): Promise<[string, number][]> {
  const sent: [string, number][] = [];
  await openLoop({ seconds, perSecond }, async (n) => {
    const id = taskIds[n % taskIds.length] ?? "";
    sent.push([id, sharedNow()]);
    const answer = await fetch(`${origin}/api/tasks/${id}`, {
      method: "PATCH",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ implementation_plan: `plan ${n} ${Math.random()}` }),
    });
    await answer.arrayBuffer();
  });
  return sent;
}
