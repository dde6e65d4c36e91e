import { useFetcher } from "@remix-run/react";
import { useCallback, useEffect, useState } from "react";
import { describeBrowser } from "~/features/accounts/describe-browser";
import { Alert } from "~/ui/alert";
import { Button, ButtonLink } from "~/ui/button";
import { Fact } from "~/ui/card";
import { FormErrors } from "~/ui/field";
import type { PairingForApproval } from "~/wire/pairings/contract";
import {
  type AskingDevice,
  forgetKeptSecret,
  type KeptSecret,
  keepApproved,
  readApproved,
  readKeptSecret,
} from "./kept-secret";

type PairAnswer = { outcome?: "shown" | "approved" | "declined" | "revoked"; pairing?: AskingDevice; error?: string };

/** Guides from the scanned code to the result: sign-in if needed, question, outcome. */
export function PhonePairing({ username }: { username: string | null }) {
  const { kept, pairing, answered, error, busy, send } = usePhonePairing(username);
  if (kept === undefined) return <p className="text-sm text-muted">Reading the code…</p>;
  if (answered && pairing) {
    return (
      <>
        <PairingResult outcome={answered} pairing={pairing} onRevoke={() => send("revoke")} busy={busy} />
        {error ? <Alert tone="failed" role="alert" title={error} /> : null}
      </>
    );
  }
  if (kept === null) return <NoCode />;
  if (!username) return <SignInFirst />;
  if (pairing?.status === "pending") {
    return (
      <ApprovalQuestion
        pairing={pairing}
        error={error}
        busy={busy}
        onDecline={() => send("decline")}
        onApprove={() => send("approve")}
      />
    );
  }
  if (error) return <Alert tone="failed" role="alert" title={error} />;
  if (pairing) return <Alert title="This code was already answered. Show a new one." />;
  return <p className="text-sm text-muted">Looking up the device…</p>;
}

function usePhonePairing(username: string | null) {
  const [kept, setKept] = useState<KeptSecret | null | undefined>(undefined);
  const [pairing, setPairing] = useState<AskingDevice | null>(null);
  const [answered, setAnswered] = useState<"approved" | "declined" | "revoked" | null>(null);
  const { submit, data, state } = useFetcher<PairAnswer>();

  useEffect(() => {
    const code = readKeptSecret();
    const approved = code ? null : readApproved();
    setKept(code);
    if (!approved) return;
    setPairing(approved);
    setAnswered("approved");
  }, []);

  const pairingId = kept?.pairingId ?? pairing?.pairing_id;
  const secret = kept?.secret ?? "";
  const send = useCallback(
    (intent: "show" | "approve" | "decline" | "revoke") => {
      if (!pairingId) return;
      const fields = { intent, pairing_id: pairingId, secret };
      submit(fields, { method: "post", action: "/m/pair" });
    },
    [pairingId, secret, submit],
  );
  useEffect(() => {
    if (secret && username) send("show");
  }, [secret, username, send]);

  useEffect(() => {
    if (data?.pairing) setPairing(data.pairing);
    if (data?.outcome && data.outcome !== "shown") setAnswered(data.outcome);
  }, [data]);
  useEffect(() => {
    if (!answered) return;
    forgetKeptSecret();
    keepApproved(answered === "approved" ? pairing : null);
  }, [answered, pairing]);

  return { kept, pairing, answered, error: data?.error, busy: state === "submitting", send };
}

function NoCode() {
  return (
    <Alert title="No code found">
      Open the sign-in page on the other device and scan the code with this phone's camera.
    </Alert>
  );
}

function SignInFirst() {
  return (
    <div className="grid justify-items-start gap-3">
      <p className="text-sm">
        Sign in on this phone first. You return here afterwards, and the code stays on this phone.
      </p>
      <ButtonLink to="/login?redirectTo=%2Fm%2Fpair" tone="primary" size="lg">
        Sign in on this phone
      </ButtonLink>
    </div>
  );
}

interface ApprovalQuestionProps {
  pairing: AskingDevice;
  error: string | undefined;
  busy: boolean;
  onDecline: () => void;
  onApprove: () => void;
}

/** Which device asks, for which account, and the two answers. Decline comes first: it is the safe one. */
function ApprovalQuestion({ pairing, error, busy, onDecline, onApprove }: ApprovalQuestionProps) {
  return (
    <div className="grid gap-5">
      <p className="text-sm">
        A device wants to sign in to <strong>your account {pairing.username}</strong>. Approve only if you opened the
        sign-in page there yourself, just now.
      </p>
      <dl className="grid gap-3 rounded border border-line bg-sunken p-4">
        <Fact term="Device">{describeBrowser(pairing.desktop_ua)}</Fact>
        <Fact term="Address">
          {pairing.desktop_ip ?? "Unknown"}
          <span className="block font-normal text-muted">
            {pairing.same_network ? "Same network as this phone" : "Different network from this phone"}
          </span>
        </Fact>
        <Fact term="Account">{pairing.username}</Fact>
        <Fact term="The other screen must show this number">
          <span data-testid="check-code" className="text-2xl font-semibold tracking-widest tabular-nums">
            {pairing.check_code}
          </span>
        </Fact>
      </dl>
      <FormErrors errors={error ? [error] : undefined} />
      <div className="grid gap-3">
        <Button size="lg" onClick={onDecline} disabled={busy}>
          Decline
        </Button>
        <Button size="lg" tone="primary" onClick={onApprove} disabled={busy}>
          Approve sign-in
        </Button>
      </div>
    </div>
  );
}

interface PairingResultProps {
  outcome: "approved" | "declined" | "revoked";
  pairing: PairingForApproval;
  onRevoke: () => void;
  busy: boolean;
}

/** The outcome. After an approval it can still be revoked here. */
function PairingResult({ outcome, pairing, onRevoke, busy }: PairingResultProps) {
  const device = describeBrowser(pairing.desktop_ua);
  if (outcome === "declined") {
    return (
      <Alert role="status" title="Declined">
        {device} was not signed in.
      </Alert>
    );
  }
  if (outcome === "revoked") {
    return (
      <Alert role="status" tone="done" title="Revoked">
        {device} is signed out.
      </Alert>
    );
  }
  return (
    <div className="grid gap-4">
      <Alert role="status" tone="done" title="Approved">
        {device} is signed in to {pairing.username} for 8 hours.
      </Alert>
      <Alert tone="waiting" title="Was this not you?">
        <div className="grid justify-items-start gap-2">
          <p>Revoke the approval to sign the device out immediately.</p>
          <Button tone="danger" onClick={onRevoke} disabled={busy}>
            Revoke
          </Button>
        </div>
      </Alert>
      <ButtonLink to="/settings/devices">All signed-in devices</ButtonLink>
    </div>
  );
}
