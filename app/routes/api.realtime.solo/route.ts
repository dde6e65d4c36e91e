import { streamRoute } from "~/http/stream-route.server";
import { openEventStream } from "~/sse/event-stream.server";
import { productQuerySchema, productToWatch } from "~/sse/product-query.server";
import { soloStream } from "~/sse/solo-stream.server";

const route = streamRoute({
  auth: "either",
  query: productQuerySchema,
  open: async ({ actor, query, request, context }) => {
    const productId = await productToWatch(actor, query);
    return openEventStream({ request, context }, soloStream(actor, productId));
  },
});

/** `GET /api/realtime/solo?product_id=` (specification: Solo stream). */
export const loader = route.loader;
export const action = route.action;
