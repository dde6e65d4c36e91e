import type { PassingOperation } from "~/nouns/operation.server";
import type { Endpoint } from "./api-route.server";
import { endpoint, type UserCall, type UserDescription } from "./endpoint.server";
import { json, jsonText, noContent } from "./responses.server";
import { isConditional, tagged } from "./version.server";

interface OperationDescription<Input, Query, Body>
  extends Omit<UserDescription<Query, Body>, "answer" | "handle" | "name"> {
  /** Default: the operation's own. */
  name?: string;
  /** Sends the row's version as ETag. With `if-asked`, the body has the version only if `If-Match` was sent. */
  versioned?: "always" | "if-asked";
  /** Sends only the fields of the answer schema, where the SQL function returns more for other callers. */
  onlyNamed?: true;
  /** Builds the operation's input. */
  input(call: UserCall<Query, Body>): Input;
}

/** An endpoint that runs one operation. Sends the database's JSON unparsed, or no body for status 204. */
export function operationEndpoint<Input, Query = undefined, Body = undefined>(
  operation: PassingOperation<Input>,
  description: OperationDescription<Input, Query, Body>,
): Endpoint {
  const { status, onlyNamed, versioned } = description;
  return endpoint<Query, Body>({
    name: operation.sql.replace(/_./g, (start) => start.charAt(1).toUpperCase()),
    ...description,
    answer: status === 204 ? "nothing" : operation.answer,
    handle: async (call) => {
      const input = description.input(call);
      if (onlyNamed) return json(await operation(call.actor, input), { status });
      const text = await operation.json(call.actor, input);
      if (versioned) return tagged(text, versioned === "always" || isConditional(call.request));
      return status === 204
        ? noContent({ "cache-control": "no-store" })
        : jsonText(text, { status });
    },
  });
}
