import type { LoaderFunctionArgs } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import { problem } from "~/http/responses.server";

/** Handles unknown addresses under /api: always JSON, never a page. */
export function loader(_: LoaderFunctionArgs): Response {
  return problem(new ContractError(404, "Unknown address. See /openapi.json for all addresses."));
}
