import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import { backlogPayload, deliverBacklog } from "~/realtime/deliver-backlog";
import { topics } from "~/wire/events";
import { productQuerySchema } from "./product-to-watch.server";
import { readerOf, type StreamSource, streamViewerSchema } from "./stream-source";

const backlogStateSchema = z.object({ viewer: streamViewerSchema, product_id: z.string() });

export const backlogQuerySchema = productQuerySchema.extend({
  /** `1` adds events from running agents: their output, evidence, waivers. */
  live: z.enum(["0", "1"]).optional(),
});

/** `GET /api/realtime/backlog`: every change to one product's PBIs, stories and tasks. */
export function backlogStream(actor: Actor, productId: string, isLive: boolean): StreamSource {
  return {
    kind: "backlog",
    payload: backlogPayload,
    async read() {
      const { viewer } = await callAs(actor, "read_backlog_stream", { p_product_id: productId }, backlogStateSchema);
      const reader = readerOf(viewer);
      const productTopic = topics.product(productId);
      return {
        limitKey: `user:${reader.userId}`,
        expiresAt: viewer.expires_at,
        snapshot: viewer.snapshot,
        access: { ...reader, productId },
        topics: [productTopic, topics.user(reader.userId)],
        greeting: (resumed) => [{ event: "ready", data: { product_id: productId, ...(resumed && { resumed }) } }],
        deliver: (event, topic) => deliverBacklog(event, { ...reader, productId, isLive }, topic === productTopic),
      };
    },
  };
}
