import { openEventStream } from "~/http/open-event-stream.server";
import { streamRoute } from "~/http/stream-route.server";
import { jobQuerySchema, jobStream, jobToWatch } from "~/sse/job-stream.server";
import { idSchema } from "~/wire/text";

/** `GET /api/realtime/job?job_id=`: streams changes of a job and its agent's output. */
export const loader = streamRoute({
  name: "streamJob",
  summary: "Stream changes and output of a job",
  query: jobQuerySchema,
  takes: { query: jobQuerySchema.extend({ job_id: idSchema }) },
  refusals: [400, 404, 422],
  open: async ({ actor, query, request, context }) => {
    const jobId = await jobToWatch(actor, query);
    const { outputs } = context.services.streams;
    return openEventStream({ request, context }, jobStream(actor, jobId, outputs, query.output !== "0"));
  },
});
