import { useFetcher } from "@remix-run/react";
import { useCallback, useEffect, useState } from "react";
import { ButtonLink } from "~/components/button";
import { Notice } from "~/components/notice";
import { ApprovalQuestion } from "./approval-question";
import type { AskingDevice } from "./asking-device";
import {
  forgetKeptSecret,
  type KeptSecret,
  keepApproved,
  readApproved,
  readKeptSecret,
} from "./kept-secret";
import { PairingResult } from "./pairing-result";

/** What the page's action answers. */
interface PairAnswer {
  outcome?: "shown" | "approved" | "declined" | "revoked";
  pairing?: AskingDevice;
  error?: string;
}

/** From the scanned code to the answer: signed in or not, the question, what became of it. */
export function PhonePairing({ username }: { username: string | null }) {
  const { kept, pairing, answered, error, busy, send } = usePhonePairing(username);
  if (kept === undefined) return <p className="text-sm text-muted">Reading the code…</p>;
  if (answered && pairing) {
    return (
      <>
        <PairingResult
          outcome={answered}
          pairing={pairing}
          onRevoke={() => send("revoke")}
          busy={busy}
        />
        {error ? <Notice tone="failed" role="alert" title={error} /> : null}
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
  if (error) return <Notice tone="failed" role="alert" title={error} />;
  if (pairing) return <Notice title="This code was already answered. Show a new one." />;
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
    <Notice title="There is no code here">
      Open the sign-in page on the other device and point this phone's camera at the code.
    </Notice>
  );
}

function SignInFirst() {
  return (
    <div className="grid justify-items-start gap-3">
      <p className="text-sm">
        Sign in on this phone first. You come back here, and the code stays on this phone.
      </p>
      <ButtonLink to="/login?redirectTo=%2Fm%2Fpair" tone="primary" size="lg">
        Sign in on this phone
      </ButtonLink>
    </div>
  );
}
