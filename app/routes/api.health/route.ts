import { healthQuery } from "~/contract/health";
import { apiRoute } from "~/http/api-route.server";
import { openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { pingDatabase } from "./ping-database.server";

/** Liveness probe (specification: GET /api/health): always 200, database trouble is told in the body. */
const route = apiRoute({
  GET: openEndpoint({
    auth: "none",
    query: healthQuery,
    async handle({ query, context: { services } }) {
      const health = { status: "ok", version: services.version, time: new Date().toISOString() };
      if (query.db !== "1") return json(health);
      return json({ ...health, database: await pingDatabase(services.database) });
    },
  }),
});

export const loader = route.loader;
export const action = route.action;
