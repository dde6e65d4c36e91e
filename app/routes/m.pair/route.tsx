import { type AppLoadContext, json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { AuthFrame } from "~/components/auth-frame";
import { RouteError } from "~/components/error-page";
import { ToastRegion } from "~/components/toast";
import { approvePairing, cancelPairing } from "~/domain/pairings/decide-pairing.server";
import { getPairingForApproval } from "~/domain/pairings/get-pairing-for-approval.server";
import { revokePairing } from "~/domain/pairings/operations.server";
import { addressLimitKey } from "~/http/client-address.server";
import { runIntent, textOf } from "~/http/form-action.server";
import {
  findActor,
  pageAction,
  pageLoader,
  requireActor,
  requireWriter,
  type SignedIn,
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
  const intent = textOf(form, "intent");
  if (intent === "show") return show(await requireActor(request, context), form, context);
  const { actor } = await requireWriter(request, context);
  return runIntent(form, {
    approve: async () => {
      await approvePairing(actor, readPairingSecret(form));
      return json({ outcome: "approved" });
    },
    decline: async () => {
      await cancelPairing(actor, readPairingSecret(form));
      return json({ outcome: "declined" });
    },
    revoke: async () => {
      await revokePairing(actor, { pairing_id: readRevocation(form) });
      return json({ outcome: "revoked" });
    },
  });
});

async function show({ principal }: SignedIn, form: FormData, context: AppLoadContext) {
  const { database } = context.services;
  const pairing = await getPairingForApproval(database, principal, readPairingSecret(form));
  const phoneNetwork = addressLimitKey(context.clientAddress);
  const same_network = phoneNetwork === addressLimitKey(pairing.desktop_ip ?? "");
  return json({ outcome: "shown", pairing: { ...pairing, same_network } });
}

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
