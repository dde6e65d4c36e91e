import { apiRoute, endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { hearPreviews } from "~/previews/previews.server";
import { heardPreviewsSchema, syncPreviewsBody } from "~/wire/previews/contract";

/** `PUT /api/workers/previews`: a worker reports its previews and hears which it should run. */
export const loader = apiRoute({
  PUT: endpoint({
    name: "syncPreviews",
    summary: "Report a worker's previews and wait for the ones it should run",
    auth: "bearer",
    body: syncPreviewsBody,
    answer: heardPreviewsSchema,
    refusals: [403, 429],
    handle: async ({ actor, body, context }) => {
      const signal = AbortSignal.any([context.closeSignal, context.services.stopSignal]);
      return json(await hearPreviews(context.services, actor, body, signal));
    },
  }),
});

export const action = loader;
