import { jsonRequest } from "../worker-tools";
import { openLoop } from "./open-loop";
import { type AppAddress, sharedNow } from "./processes";
import type { BenchWorld } from "./world";

/** Where the app is for this person: the stream of their own tasks, and the headers that say who asks. */
export function doorOf({ port }: AppAddress, { token, productId }: BenchWorld) {
  const origin = `http://127.0.0.1:${port}`;
  const url = `${origin}/api/realtime/solo?product_id=${productId}`;
  return { origin, url, headers: { authorization: `Bearer ${token}` } };
}

/** Changes one task after the other, so many a second; answers which was sent when. */
export async function patchFor(
  seconds: number,
  perSecond: number,
  origin: string,
  { token, taskIds }: BenchWorld,
): Promise<[string, number][]> {
  const sent: [string, number][] = [];
  await openLoop({ seconds, perSecond }, async (n) => {
    const id = taskIds[n % taskIds.length] ?? "";
    sent.push([id, sharedNow()]);
    const change = { implementation_plan: `plan ${n} ${Math.random()}` };
    const answer = await fetch(`${origin}/api/tasks/${id}`, jsonRequest(token, "PATCH", change));
    await answer.arrayBuffer();
  });
  return sent;
}
