import { json } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import { personLoader } from "~/http/page-guards.server";
import { listCandidatesInput } from "~/nouns/dependencies/contract";
import { listCandidates } from "~/nouns/dependencies/operations.server";

/** `GET /candidates?kind=&id=&query=`: possible blockers for the "Blocked by" pickers. */
export const loader = personLoader(async ({ actor, request }) => {
  const asked = Object.fromEntries(new URL(request.url).searchParams);
  const input = listCandidatesInput.safeParse(asked);
  if (!input.success) throw new ContractError(422, "Give the blocked item: kind and id.");
  return json(await listCandidates(actor, input.data));
});
