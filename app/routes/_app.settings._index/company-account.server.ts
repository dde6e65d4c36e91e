import type { AppLoadContext } from "@remix-run/node";
import { connectAddress } from "~/features/accounts/oidc-departure.server";
import { providerName } from "~/features/accounts/provider";
import { accountIdentity } from "~/nouns/identities/operations.server";
import type { Principal } from "~/wire/accounts/contract";
import type { ShownCompanyAccount } from "./company-account";

/** Returns null without a provider, and for demo accounts, which belong to no person. */
export async function companyAccountOf(
  context: AppLoadContext,
  { user_id: account, session_id: sessionId, paired, is_demo: isDemo }: Principal,
): Promise<ShownCompanyAccount | null> {
  const { env, database } = context.services;
  if (!env.oidc || isDemo) return null;
  const { issuer } = env.oidc;
  const { connected_at: connectedAt } = await accountIdentity(database, { issuer, account });
  const address = sessionId && !paired ? connectAddress(context, sessionId) : null;
  return { provider: providerName(issuer), connectedAt, address };
}
