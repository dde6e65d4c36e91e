import { openEventStream } from "~/http/open-event-stream.server";
import { streamRoute } from "~/http/stream-route.server";
import { backlogQuerySchema, backlogStream } from "~/sse/backlog-stream.server";
import { productToWatch } from "~/sse/product-to-watch.server";
import { idSchema } from "~/wire/text";

/** `GET /api/realtime/backlog?product_id=`; `&live=1` adds agent activity (specification: Backlog stream). */
export const loader = streamRoute({
  name: "streamBacklog",
  summary: "Stream changes of a product's PBIs, stories and tasks",
  query: backlogQuerySchema,
  takes: { query: backlogQuerySchema.extend({ product_id: idSchema }) },
  refusals: [400, 404, 422],
  open: async ({ actor, query, request, context }) => {
    const productId = await productToWatch(actor, query);
    return openEventStream({ request, context }, backlogStream(actor, productId, query.live === "1"));
  },
});
