import { z } from "zod";
import type { PassingOperation } from "~/nouns/operation.server";
import type { Endpoint } from "./api-route.server";
import { endpoint, type UserCall, type UserDescription } from "./endpoint.server";
import { json, jsonText, noContent } from "./responses.server";

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

const answerSchema = z.looseObject({ version: z.int() });

/** Whether the request has `If-Match`. */
function isConditional({ headers }: Request): boolean {
  return headers.has("if-match");
}

/**
 * Versions in `If-Match`; undefined (no condition) without the header or for `*`. A proxy that compresses makes our tag weak,
 * or adds how it did: the version in it is still exact. Foreign tags match none.
 */
export function expectedVersions({ headers }: Request): number[] | undefined {
  const header = headers.get("if-match")?.trim();
  if (header === undefined || header === "*") return undefined;
  return [...header.matchAll(/"(\d{1,9})(?:-\w{1,10})?"/g)].map(([, version]) => Number(version));
}

/** JSON response about a row, with its version as ETag. */
function tagged(text: string, isVersionShown: boolean): Response {
  const { version, ...others } = answerSchema.parse(JSON.parse(text));
  return jsonText(isVersionShown ? text : JSON.stringify(others), {
    headers: { etag: `"${version}"` },
  });
}
