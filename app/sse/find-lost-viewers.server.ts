import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import type { StreamState } from "./stream-source";

/** The streams among these whose readers may no longer read: one question for all of them. */
export async function findLostViewers<T extends Pick<StreamState, "access">>(
  database: Database,
  streams: readonly T[],
): Promise<T[]> {
  const byViewer = new Map<string, T[]>();
  for (const stream of streams) {
    if (!stream.access) continue;
    const { userId, sessionId, tokenId, productId } = stream.access;
    const viewer = JSON.stringify([userId, sessionId, tokenId, productId]);
    const same = byViewer.get(viewer);
    if (same) same.push(stream);
    else byViewer.set(viewer, [stream]);
  }
  if (byViewer.size === 0) return [];

  const viewers = [...byViewer.keys()].map((viewer): unknown => JSON.parse(viewer));
  const lost = await callService(
    database,
    "find_lost_viewers",
    { p_viewers: viewers },
    z.array(z.number().int()),
  );
  const groups = [...byViewer.values()];
  return lost.flatMap((position) => groups[position] ?? []);
}
