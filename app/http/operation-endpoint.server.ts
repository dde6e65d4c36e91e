import type { PassingOperation } from "~/domain/operation.server";
import type { Endpoint } from "./api-route.server";
import { endpoint, type UserCall, type UserDescription } from "./endpoint.server";
import { json, jsonText, noContent } from "./responses.server";
import { isConditional, tagged } from "./version.server";

interface OperationDescription<Input, Query, Body>
  extends Omit<UserDescription<Query, Body>, "answer" | "handle"> {
  /** The answer has the ETag of the row, which `If-Match` may name; `if-asked`: the body has its version only then. */
  versioned?: "always" | "if-asked";
  /** Only what the schema of the answer names goes out: the SQL function tells others more. */
  onlyNamed?: true;
  /** What the operation is given. */
  input(call: UserCall<Query, Body>): Input;
}

/** An endpoint that asks one operation: its answer goes out as the database made it, or not at all with status 204. */
export function operationEndpoint<Input, Query = undefined, Body = undefined>(
  operation: PassingOperation<Input>,
  description: OperationDescription<Input, Query, Body>,
): Endpoint {
  const { status, onlyNamed, versioned } = description;
  return endpoint<Query, Body>({
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
