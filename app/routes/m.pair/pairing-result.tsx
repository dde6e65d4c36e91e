import type { PairingForApproval } from "~/contract/pairing";
import { describeBrowser } from "~/features/accounts/describe-browser";
import { Button, ButtonLink } from "~/ui/button";
import { Notice } from "~/ui/notice";

/** What happened. After an approval the way to take it back stays in sight. */
export function PairingResult({
  outcome,
  pairing,
  onRevoke,
  busy,
}: {
  outcome: "approved" | "declined" | "revoked";
  pairing: PairingForApproval;
  onRevoke: () => void;
  busy: boolean;
}) {
  const device = describeBrowser(pairing.desktop_ua);
  if (outcome === "declined") {
    return (
      <Notice role="status" title="Declined">
        {device} was not signed in.
      </Notice>
    );
  }
  if (outcome === "revoked") {
    return (
      <Notice role="status" tone="done" title="Revoked">
        {device} is signed out.
      </Notice>
    );
  }
  return (
    <div className="grid gap-4">
      <Notice role="status" tone="done" title="Approved">
        {device} is signed in to {pairing.username} for 8 hours.
      </Notice>
      <Notice tone="waiting" title="Was this not you?">
        <div className="grid justify-items-start gap-2">
          <p>Revoke the approval to sign the device out immediately.</p>
          <Button tone="danger" onClick={onRevoke} disabled={busy}>
            Revoke
          </Button>
        </div>
      </Notice>
      <ButtonLink to="/settings/devices">All signed-in devices</ButtonLink>
    </div>
  );
}
