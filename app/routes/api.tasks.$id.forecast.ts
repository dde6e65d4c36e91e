import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getTaskForecast } from "~/nouns/forecasts/operations.server";

/** `GET /api/tasks/:id/forecast`: what a task probably touches and costs, from earlier changes. */
export const loader = apiRoute({
  GET: operationEndpoint(getTaskForecast, {
    summary: "Forecast which files a task touches, which running work it meets, and its time and cost",
    input: ({ id }) => ({ task_id: id }),
  }),
});
