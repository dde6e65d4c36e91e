import { findProblem } from "~/db/is-answering.server";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { ContractError } from "~/wire/errors";
import { readySchema } from "~/wire/health";

/** Readiness probe: 503 while this process cannot serve requests, so that proxies use another one. */
export const loader = apiRoute({
  GET: openEndpoint({
    name: "getReadiness",
    summary: "Check that this process can serve; 503 if it cannot",
    auth: "none",
    answer: readySchema,
    async handle({ context: { services } }) {
      if (services.stopSignal.aborted) throw notReady("The service is stopping.");
      const problem = await findProblem(services.database);
      if (problem !== null) throw notReady(problem);
      return json({ status: "ready", version: services.version });
    },
  }),
});

function notReady(sentence: string): ContractError {
  return new ContractError(503, `${sentence} Try again.`, { retryAfter: 1 });
}
