import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import { deliverSolo, soloPayload } from "~/realtime/deliver-solo";
import { soloJobsSchema, soloReadySchema, soloWorkersSchema, topics } from "~/wire/events";
import { readerOf, type StreamSource, streamViewerSchema } from "./stream-source";

const soloStateSchema = z.object({
  viewer: streamViewerSchema,
  solo: z.object({
    sprint_id: soloReadySchema.shape.sprint_id,
    jobs: soloJobsSchema.shape.jobs,
    workers: soloWorkersSchema,
  }),
});

/** `GET /api/realtime/solo`: the reader's tasks and stories in the active sprint; the product's jobs and workers. */
export function soloStream(actor: Actor, productId: string): StreamSource {
  return {
    kind: "solo",
    payload: soloPayload,
    async read() {
      const { viewer, solo } = await callAs(actor, "read_solo_stream", { p_product_id: productId }, soloStateSchema);
      const reader = readerOf(viewer);
      const soloViewer = { ...reader, productId, sprintId: solo.sprint_id };
      return {
        limitKey: `user:${reader.userId}`,
        expiresAt: viewer.expires_at,
        snapshot: viewer.snapshot,
        access: { ...reader, productId },
        topics: [topics.product(productId), topics.user(reader.userId)],
        greeting: (resumed) => [
          { event: "ready", data: { product_id: productId, sprint_id: solo.sprint_id, ...(resumed && { resumed }) } },
          { event: "jobs", data: { jobs: solo.jobs } },
          { event: "workers", data: solo.workers },
        ],
        deliver: (event, topic) => deliverSolo(event, soloViewer, topic === topics.product(productId)),
      };
    },
  };
}
