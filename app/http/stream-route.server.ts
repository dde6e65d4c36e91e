import { ContractError } from "~/contract/errors";
import { apiRoute, type Endpoint, type RouteHandler } from "./api-route.server";
import {
  endpoint,
  type InputDescription,
  type OpenCall,
  openEndpoint,
  type UserCall,
  type UserDescription,
} from "./endpoint.server";

interface StreamDescription<Query>
  extends Pick<UserDescription<Query, undefined>, "auth" | "id" | "idParam" | "query"> {
  /** Opens the sink of the load context and returns `streamStarted()`, or refuses before that. */
  open(call: UserCall<Query, undefined>): Promise<Response>;
}

interface OpenStreamDescription<Query>
  extends Pick<InputDescription<Query, undefined>, "id" | "idParam" | "query"> {
  open(call: OpenCall<Query, undefined>): Promise<Response>;
}

type Route = { loader: RouteHandler; action: RouteHandler };

/** A resource route that streams to a user. */
export function streamRoute<Query = undefined>(description: StreamDescription<Query>): Route {
  return guarded(endpoint<Query>({ ...description, handle: (call) => description.open(call) }));
}

/** A stream whose credential is neither token nor session: `open` judges it. */
export function openStreamRoute<Query = undefined>(
  description: OpenStreamDescription<Query>,
): Route {
  return guarded(
    openEndpoint<Query>({ ...description, auth: "none", handle: (call) => description.open(call) }),
  );
}

/** HEAD would open a stream for nobody; pages of other sites must not open one with a visitor's cookie. */
function guarded(open: Endpoint): Route {
  const checked: Endpoint = async (args) => {
    if (args.request.headers.get("sec-fetch-site") === "cross-site") {
      throw new ContractError(403, "Pages of other sites may not open a stream.");
    }
    if (args.context.services.stopSignal.aborted) {
      const message = "The service is stopping; connect again in a moment.";
      throw new ContractError(503, message, { retryAfter: 2 });
    }
    return open(args);
  };
  return apiRoute({ GET: checked }, { head: false });
}
