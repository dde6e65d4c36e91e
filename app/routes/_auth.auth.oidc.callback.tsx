import { type AppLoadContext, json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { depart, forgetTrip, readTrip, requireOidc } from "~/features/accounts/oidc-departure.server";
import { OidcRefusal } from "~/features/accounts/provider";
import { addressLimitKey } from "~/http/client-address.server";
import { findActor, pageLoader } from "~/http/page-guards.server";
import { signingInBrowser, startSession } from "~/http/signing-in.server";
import { takeLimit } from "~/nouns/accounts/operations.server";
import { findIdentityAccount } from "~/nouns/identities/operations.server";
import { finishSignIn, offersLastingAccess, type ProvenPerson } from "~/nouns/identities/provider.server";
import { connectToProvider, signInByProvider } from "~/nouns/identities/sign-in.server";
import { invitationCodeIn } from "~/nouns/products/invitation";
import { ContractError } from "~/wire/errors";

/** `GET /auth/oidc/callback`: handles the provider's response, checked against this browser's cookie. */
export const loader = pageLoader(async ({ request, context }) => {
  let connects = false;
  try {
    // More than one call: it signs in, and the provider answers in between.
    const settings = requireOidc(context);
    const trip = await readTrip(request, context);
    connects = trip.connects !== null;
    const from = addressLimitKey(context.clientAddress);
    if (!trip.asksConsent) await takeLimit(context.services.database, "provider_sign_in", from);
    const { pathname, search } = new URL(request.url);
    const answer = new URL(`${pathname}${search}`, context.origin);
    const person = await finishSignIn(settings, answer, trip.departure);
    if (!(await canBeChecked(context, person))) {
      const mayHelp = !trip.asksConsent && (await offersLastingAccess(settings));
      if (mayHelp) return await depart(context, { ...trip, asksConsent: true });
      context.log.warn(
        "the provider gives no refresh token: an account that is closed there stays active here until OIDC_RECHECK_HOURS are over",
      );
    }
    const response = await arrive(request, context, { person, ...trip });
    response.headers.append("set-cookie", forgetTrip(context));
    return response;
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    context.log.warn({ err: error.cause ?? error }, "a sign-in at the provider was refused");
    const headers = { "set-cookie": forgetTrip(context), "cache-control": "no-store" };
    return json({ refusal: error.message, connects }, { status: error.status, headers });
  }
});

/** Some providers issue the token that reveals when an account ends only if asked for consent, and only once. */
async function canBeChecked(
  { services }: AppLoadContext,
  { issuer, subject, refreshToken }: ProvenPerson,
): Promise<boolean> {
  if (refreshToken !== null) return true;
  const question = { issuer, subject, verified_email: null };
  return (await findIdentityAccount(services.database, question)).can_be_checked;
}

async function arrive(
  request: Request,
  context: AppLoadContext,
  trip: { person: ProvenPerson; goTo: string; connects: string | null },
): Promise<Response> {
  const { database, env } = context.services;
  const browser = await signingInBrowser(request, context);
  const signInContext = { database, env, settings: requireOidc(context), browser };
  if (trip.connects === null) {
    const code = invitationCodeIn(trip.goTo);
    const session = await signInByProvider(signInContext, trip.person, code);
    return startSession(session, trip.goTo, context);
  }
  const found = await findActor(request, context);
  if (found?.principal.user_id !== trip.connects || found.principal.paired) {
    const message = "Sign in with your password in this browser, then connect your account from the settings.";
    throw new ContractError(403, message);
  }
  await connectToProvider(signInContext, trip.person, trip.connects);
  return redirect("/settings", 303);
}

export const meta: MetaFunction = () => [{ title: "Sign in · Backloom" }, { name: "robots", content: "noindex" }];

export default function ArrivalPage() {
  return <OidcRefusal {...useLoaderData<typeof loader>()} />;
}
