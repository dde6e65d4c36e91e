import { type AppLoadContext, json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { AuthFrame } from "~/features/accounts/auth-frame";
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
import { revokePairing } from "~/nouns/pairings/operations.server";
import { approvePairing, cancelPairing, getPairingForApproval } from "~/nouns/pairings/pair.server";
import { useNonce } from "~/ui/nonce";
import { ToastRegion } from "~/ui/toasts";
import { isCanonicalUuid } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import { type PairingSecret, pairingSecretSchema } from "~/wire/pairings/contract";
import { PhonePairing } from "./phone-pairing";

export { WholePageError as ErrorBoundary } from "~/ui/error-page";

/** The phone's page. The secret is in the fragment, so the server gets it only with the posts below. */
export const loader = pageLoader(async ({ request, context }) => {
  const found = await findActor(request, context);
  return json({ username: found?.principal.username ?? null });
});

/** Shows, approves, declines and revokes a pairing. Only by POST: opening a link changes nothing. */
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

/** Before any request the secret leaves the address and is kept in this tab only, where it survives a sign-in. */
const script = `(function () {
  var fragment = location.hash.slice(1);
  if (!fragment) return;
  try { sessionStorage.setItem("pairing", fragment); } catch (error) { window.pairingFragment = fragment; }
  history.replaceState(history.state, "", location.pathname);
})();`;

function StripFragment() {
  const nonce = useNonce();
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of this file, allowed by the page's nonce
      dangerouslySetInnerHTML={{ __html: script }}
    />
  );
}

const unknownCode = "Unknown code. Show a new code on the other device and scan it.";

/** Reads the pairing's id and secret. Malformed codes get the same response as unknown ones. */
function readPairingSecret(form: FormData): PairingSecret {
  const sent = { pairing_id: form.get("pairing_id"), secret: form.get("secret") };
  const parsed = pairingSecretSchema.safeParse(sent);
  if (parsed.success && isCanonicalUuid(parsed.data.pairing_id)) return parsed.data;
  throw new ContractError(404, unknownCode);
}

function readRevocation(form: FormData): string {
  const pairingId = textOf(form, "pairing_id");
  if (isCanonicalUuid(pairingId)) return pairingId;
  throw new ContractError(404, "You have not approved this device.");
}
