import { streamRoute } from "~/http/stream-route.server";
import { backlogStream } from "~/sse/backlog-stream.server";
import { openEventStream } from "~/sse/event-stream.server";
import { productQuerySchema, productToWatch } from "~/sse/product-query.server";

const route = streamRoute({
  auth: "either",
  query: productQuerySchema,
  open: async ({ actor, query, request, context }) => {
    const productId = await productToWatch(actor, query);
    return openEventStream({ request, context }, backlogStream(actor, productId));
  },
});

/** `GET /api/realtime/backlog?product_id=` (specification: Backlog stream). */
export const loader = route.loader;
export const action = route.action;
