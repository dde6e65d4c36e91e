import type { AppLoadContext } from "@remix-run/node";
import { ContractError } from "~/contract/errors";
import { requireActor, type SignedIn } from "./page-guards.server";

/** Like `requireActor`, for administrator pages. This only hides pages; the operations check the role themselves. */
export async function requireAdmin(request: Request, context: AppLoadContext): Promise<SignedIn> {
  const signedIn = await requireActor(request, context);
  if (signedIn.principal.role === "ADMIN") return signedIn;
  throw new ContractError(403, "Only administrators may see this page. Ask one of them.");
}
