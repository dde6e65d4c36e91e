import { json } from "@remix-run/node";
import { personLoader } from "~/http/page-guards.server";
import { listCandidates } from "~/nouns/dependencies/operations.server";
import { listCandidatesInput } from "~/wire/dependencies/contract";
import { ContractError } from "~/wire/errors";

/** `GET /candidates?kind=&id=&query=`: possible blockers for the "Blocked by" pickers. */
export const loader = personLoader(async ({ actor, request }) => {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  const input = listCandidatesInput.safeParse(query);
  if (!input.success) throw new ContractError(422, "Give the blocked item: kind and id.");
  return json(await listCandidates(actor, input.data));
});
