import { idSchema } from "~/contract/text";
import { streamRoute } from "~/http/stream-route.server";
import { backlogStream } from "~/sse/backlog-stream.server";
import { openEventStream } from "~/sse/event-stream.server";
import { productQuerySchema, productToWatch } from "~/sse/product-query.server";

/** `GET /api/realtime/backlog?product_id=` (specification: Backlog stream). */
export const loader = streamRoute({
  name: "streamBacklog",
  summary: "Changes of PBIs, stories and tasks of a product",
  auth: "either",
  query: productQuerySchema,
  takes: { query: productQuerySchema.extend({ product_id: idSchema }) },
  refusals: [400, 404],
  open: async ({ actor, query, request, context }) => {
    const productId = await productToWatch(actor, query);
    return openEventStream({ request, context }, backlogStream(actor, productId));
  },
});
export const action = loader;
