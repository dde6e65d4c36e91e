import { apiRoute, endpoint, operationEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { getPreview, stopPreview } from "~/nouns/previews/operations.server";
import { beginPreview } from "~/previews/previews.server";
import { ContractError } from "~/wire/errors";
import { previewAnswerSchema } from "~/wire/previews/contract";

/** `/api/jobs/:id/preview`: starts, shows and ends the running application of a job. */
export const loader = apiRoute({
  POST: endpoint({
    name: "startPreview",
    summary: "Start the application of a job, or return the preview that runs",
    answer: previewAnswerSchema,
    status: 202,
    refusals: [403, 404, 409, 429],
    handle: async ({ actor, context, id }) => json(await beginPreview(context.services, actor, id), { status: 202 }),
  }),
  GET: endpoint({
    name: "getPreview",
    summary: "Get the newest preview of a job",
    answer: previewAnswerSchema,
    refusals: [403, 404],
    handle: async ({ actor, id }) => {
      const { preview } = await getPreview(actor, { job_id: id });
      if (preview === null) throw new ContractError(404, "This job has no preview. Start one with POST.");
      return json({ preview });
    },
  }),
  DELETE: operationEndpoint(stopPreview, {
    summary: "Stop the preview of a job",
    status: 204,
    input: ({ id }) => ({ job_id: id }),
  }),
});

export const action = loader;
