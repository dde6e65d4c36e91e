import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { AuthFrame } from "~/components/auth-frame";
import { RouteError } from "~/components/error-page";
import { ToastRegion } from "~/components/toast";
import { approvePairing } from "~/domain/pairings/approve-pairing.server";
import { cancelPairing } from "~/domain/pairings/cancel-pairing.server";
import { getPairingForApproval } from "~/domain/pairings/get-pairing-for-approval.server";
import { revokePairing } from "~/domain/pairings/revoke-pairing.server";
import {
  findActor,
  pageAction,
  pageLoader,
  requireActor,
  requireWriter,
} from "~/http/page-guards.server";
import { PhonePairing } from "./phone-pairing";
import { readPairingSecret, readRevocation } from "./read-form.server";
import { StripFragment } from "./strip-fragment";

/** The phone's page. The secret is in the fragment, so the server learns it only from the posts below. */
export const loader = pageLoader(async ({ request, context }) => {
  const found = await findActor(request, context);
  return json({ username: found?.principal.username ?? null });
});

/** Get-pairing-for-approval, approve, cancel and, afterwards, taking the approval back: posts only, never a visit. */
export const action = pageAction(async ({ request, context }) => {
  const form = await request.formData();
  const intent = form.get("intent");
  if (intent === "revoke") {
    const { actor } = await requireWriter(request, context);
    await revokePairing(actor, readRevocation(form));
    return json({ outcome: "revoked" });
  }
  const secret = readPairingSecret(form);
  if (intent === "approve") {
    const { actor } = await requireWriter(request, context);
    await approvePairing(actor, secret);
    return json({ outcome: "approved" });
  }
  if (intent === "decline") {
    const { actor } = await requireWriter(request, context);
    await cancelPairing(actor, secret);
    return json({ outcome: "declined" });
  }
  const { principal } = await requireActor(request, context);
  return json({
    outcome: "shown",
    pairing: await getPairingForApproval(context.services.database, principal, secret),
  });
});

export const meta: MetaFunction = () => [{ title: "Sign in a device · Backloom" }];

export default function PairPage() {
  const { username } = useLoaderData<typeof loader>();
  return (
    <>
      <StripFragment />
      <AuthFrame title="Sign in another device">
        <PhonePairing username={username} />
        <noscript>
          <p className="text-sm">This page needs JavaScript. Sign in with your password instead.</p>
        </noscript>
      </AuthFrame>
      <ToastRegion />
    </>
  );
}

export function ErrorBoundary() {
  return (
    <main>
      <RouteError />
    </main>
  );
}
