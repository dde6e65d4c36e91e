import { json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { depart, isConnectKey } from "~/features/accounts/oidc-departure.server";
import { OidcRefusal } from "~/features/accounts/provider";
import { findActor, pageLoader } from "~/http/page-guards.server";
import { safeRedirect } from "~/http/redirects.server";
import { ContractError } from "~/wire/errors";

/** `GET /auth/oidc`: redirects to the provider, to sign in or, with the settings page's key, to connect the account. */
export const loader = pageLoader(async ({ request, context }) => {
  const query = new URL(request.url).searchParams;
  const goTo = safeRedirect(query.get("redirectTo"));
  const found = await findActor(request, context);
  const key = query.get("connect");
  try {
    if (!found) return await depart(context, { goTo, connects: null, asksConsent: false });
    if (key === null) throw redirect(goTo);
    const { user_id: connects, session_id: sessionId } = found.principal;
    if (!sessionId || !isConnectKey(context, sessionId, key)) throw redirect("/settings");
    return await depart(context, { goTo: "/settings", connects, asksConsent: false });
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    context.log.warn({ err: error.cause ?? error }, "the identity provider was not reached");
    return json({ refusal: error.message, connects: key !== null }, error.status);
  }
});

export const meta: MetaFunction = () => [{ title: "Sign in · Backloom" }];

export default function DeparturePage() {
  return <OidcRefusal {...useLoaderData<typeof loader>()} />;
}
