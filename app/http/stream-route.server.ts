import { ContractError } from "~/wire/errors";
import {
  apiRoute,
  type Endpoint,
  endpoint,
  type InputDescription,
  type OpenCall,
  openEndpoint,
  type RouteArgs,
  type RouteHandler,
  type UserCall,
  type UserDescription,
} from "./endpoint.server";

type Documented = "name" | "summary" | "refusals" | "caller" | "takes";

interface StreamDescription<Query> extends Pick<UserDescription<Query, undefined>, "auth" | "query" | Documented> {
  /** Opens the sink of the load context and returns `streamStarted()`. May refuse before opening it. */
  open(call: UserCall<Query, undefined>): Promise<Response>;
}

interface OpenStreamDescription<Query> extends Pick<InputDescription<Query, undefined>, "query" | Documented> {
  open(call: OpenCall<Query, undefined>): Promise<Response>;
}

/** Resource route that streams to a user. The event stream of remix-utils does not wait for slow readers; ours does. */
export function streamRoute<Query = undefined>(description: StreamDescription<Query>): RouteHandler {
  return guarded(endpoint<Query>({ ...description, answer: "stream", handle: (call) => description.open(call) }));
}

/** Resource route for a stream whose credential is neither token nor session. `open` checks it. */
export function openStreamRoute<Query = undefined>(description: OpenStreamDescription<Query>): RouteHandler {
  return guarded(
    openEndpoint<Query>({ ...description, auth: "none", answer: "stream", handle: (call) => description.open(call) }),
  );
}

/** Refuses HEAD, which has no reader for a stream, and pages of other sites, which would use a visitor's cookie. */
function guarded(open: Endpoint): RouteHandler {
  const checked = async (args: RouteArgs) => {
    // Trap: fetchSite of remix-utils 7 reads a header that does not exist.
    if (args.request.headers.get("sec-fetch-site") === "cross-site") {
      throw new ContractError(403, "Pages of other sites may not open a stream.");
    }
    if (args.context.services.stopSignal.aborted) {
      const message = "The service is stopping; connect again in a moment.";
      throw new ContractError(503, message, { retryAfter: 2 });
    }
    return open(args);
  };
  const { description } = open;
  return apiRoute({ GET: Object.assign(checked, { description }) }, { head: false });
}
