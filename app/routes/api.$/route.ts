import type { LoaderFunctionArgs } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import { problem } from "~/http/responses.server";

/** Every address under /api that is none: JSON, never a page. */
export function loader(_: LoaderFunctionArgs): Response {
  return problem(
    new ContractError(404, "There is no such address; /api/openapi.json lists them all."),
  );
}

export const action = loader;
