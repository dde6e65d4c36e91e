import { json } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import { personLoader } from "~/http/page-guards.server";
import { branchInput } from "~/nouns/pages/contract";
import { getBranch } from "~/nouns/pages/operations.server";

/** `GET /branch?kind=&id=`: the branch name for *Copy branch name*. */
export const loader = personLoader(async ({ actor, request }) => {
  const asked = Object.fromEntries(new URL(request.url).searchParams);
  const input = branchInput.safeParse(asked);
  if (!input.success) throw new ContractError(422, "Give the task or story: kind and id.");
  return json(await getBranch(actor, input.data));
});
