import { findProblem } from "~/db/is-answering.server";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { healthQuery, healthSchema } from "~/wire/health";

/** Liveness probe (specification: GET /api/health): always 200; database failures are in the body. */
export const loader = apiRoute({
  GET: openEndpoint({
    name: "getHealth",
    summary: "Check that the service is up; with db=1 also the database",
    auth: "none",
    query: healthQuery,
    answer: healthSchema,
    async handle({ query, context: { services } }) {
      const health = { status: "ok", version: services.version, time: new Date().toISOString() };
      if (query.db !== "1") return json(health);
      const database = (await findProblem(services.database)) === null ? "ok" : "down";
      return json({ ...health, database });
    },
  }),
});
