import { streamRoute } from "~/http/stream-route.server";
import { openEventStream } from "~/sse/event-stream.server";
import { jobQuerySchema, jobStream, jobToWatch } from "~/sse/job-stream.server";

const route = streamRoute({
  auth: "either",
  query: jobQuerySchema,
  open: async ({ actor, query, request, context }) => {
    const jobId = await jobToWatch(actor, query);
    const { outputs } = context.services.streams;
    return openEventStream(
      { request, context },
      jobStream(actor, jobId, outputs, query.output !== "0"),
    );
  },
});

/** `GET /api/realtime/job?job_id=`: one job and what its agent says, live. */
export const loader = route.loader;
export const action = route.action;
