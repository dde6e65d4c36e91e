import { json } from "@remix-run/node";
import { personLoader } from "~/http/page-guards.server";
import { getBranch } from "~/nouns/pages/operations.server";
import { ContractError } from "~/wire/errors";
import { branchInput } from "~/wire/pages/contract";

/** `GET /branch?kind=&id=`: the branch name for *Copy branch name*. */
export const loader = personLoader(async ({ actor, request }) => {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  const input = branchInput.safeParse(query);
  if (!input.success) throw new ContractError(422, "Give the task or story: kind and id.");
  return json(await getBranch(actor, input.data));
});
