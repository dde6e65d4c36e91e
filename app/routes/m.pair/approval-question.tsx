import { Button } from "~/components/button";
import { Fact } from "~/components/card";
import { describeBrowser } from "~/components/describe-browser";
import { FormErrors } from "~/components/field";
import type { AskingDevice } from "./asking-device";

/** Who asks, for whose account, and the two answers. Declining comes first: it is the safe one. */
export function ApprovalQuestion({
  pairing,
  error,
  busy,
  onDecline,
  onApprove,
}: {
  pairing: AskingDevice;
  error: string | undefined;
  busy: boolean;
  onDecline: () => void;
  onApprove: () => void;
}) {
  return (
    <div className="grid gap-5">
      <p className="text-sm">
        A device asks to be signed in to <strong>your account {pairing.username}</strong>. Approve
        only if you opened the sign-in page there yourself, just now.
      </p>
      <dl className="grid gap-3 rounded border border-line bg-sunken p-4">
        <Fact term="Device">{describeBrowser(pairing.desktop_ua)}</Fact>
        <Fact term="Address">
          {pairing.desktop_ip ?? "not known"}
          <span className="block font-normal text-muted">
            {pairing.same_network
              ? "The network of this phone"
              : "Another network than this phone's"}
          </span>
        </Fact>
        <Fact term="Account">{pairing.username}</Fact>
        <Fact term="The other screen must show this number">
          <span
            data-testid="check-code"
            className="text-2xl font-semibold tracking-widest tabular-nums"
          >
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
          Approve and sign it in
        </Button>
      </div>
    </div>
  );
}
