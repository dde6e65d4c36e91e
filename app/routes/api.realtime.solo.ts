import { openEventStream } from "~/http/open-event-stream.server";
import { streamRoute } from "~/http/stream-route.server";
import { productQuerySchema, productToWatch } from "~/sse/product-to-watch.server";
import { soloStream } from "~/sse/solo-stream.server";
import { idSchema } from "~/wire/text";

/** `GET /api/realtime/solo?product_id=` (specification: Solo stream). */
export const loader = streamRoute({
  name: "streamSolo",
  summary: "Stream changes of your work in the active sprint, jobs and workers",
  query: productQuerySchema,
  takes: { query: productQuerySchema.extend({ product_id: idSchema }) },
  refusals: [400, 404],
  open: async ({ actor, query, request, context }) => {
    const productId = await productToWatch(actor, query);
    return openEventStream({ request, context }, soloStream(actor, productId));
  },
});
