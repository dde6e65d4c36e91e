import { type ReactNode, useEffect, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { Button } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { type PairingView, usePairing } from "./use-pairing";

/** Sign-in without a password: this screen shows a code, and a signed-in phone approves it. */
export function PhonePanel({ redirectTo }: { redirectTo: string }) {
  const { view, start } = usePairing(redirectTo);
  const hydrated = useHydrated();
  useEffect(() => {
    // A phone cannot scan its own screen, so there the code shows on request only.
    if (window.matchMedia("(min-width: 768px)").matches) start();
  }, [start]);
  return (
    <section
      aria-labelledby="by-phone"
      className="grid content-start gap-3 border-line border-t bg-sunken p-6 md:min-h-112 md:border-t-0 md:border-l"
    >
      <h2 id="by-phone" className="flex items-center gap-2 text-base font-semibold">
        <Icon name="smartphone" className="text-muted" />
        Sign in by phone
      </h2>
      <div role="status" className="sr-only">
        {announcement(view)}
      </div>
      {hydrated ? (
        <Panel view={view} start={start} />
      ) : (
        <p className="text-sm text-muted">The code appears here when the page has loaded.</p>
      )}
      <noscript>
        <p className="text-sm text-muted">Signing in by phone needs JavaScript.</p>
      </noscript>
    </section>
  );
}

function Panel({ view, start }: { view: PairingView; start: () => void }) {
  switch (view.status) {
    case "idle":
      return (
        <Over text="Show a code here and approve it on a phone that is signed in.">
          <Button onClick={start}>Show a code</Button>
        </Over>
      );
    case "starting":
      return <p className="text-sm text-muted">Getting a code…</p>;
    case "waiting":
      return <WaitingCode pairing={view.pairing} onRenew={start} />;
    case "approved":
      return <p className="text-sm font-medium">Approved. Signing you in…</p>;
    case "signed_in":
      return <p className="text-sm font-medium">You are signed in. Opening Backloom…</p>;
    case "declined":
      return (
        <Over text="The phone declined this sign-in.">
          <Button onClick={start}>Show a new code</Button>
        </Over>
      );
    case "expired":
      return (
        <Over text="This code has expired.">
          <Button onClick={start}>Show a new code</Button>
        </Over>
      );
    case "failed":
      return (
        <Over text={view.message}>
          <Button onClick={start}>Try again</Button>
        </Over>
      );
  }
}

function Over({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-3">
      <p className="text-sm text-muted">{text}</p>
      {children}
    </div>
  );
}

type WaitingCodeProps = { pairing: Extract<PairingView, { status: "waiting" }>["pairing"]; onRenew: () => void };

function WaitingCode({ pairing, onRenew }: WaitingCodeProps) {
  const qr = new URL(pairing.qrUrl);
  return (
    <div className="grid gap-3">
      <QrCode text={pairing.qrUrl} label="QR code to sign in with a phone" />
      <p className="text-sm text-muted">
        Scan the code with your phone's camera, and check that the phone shows this number:
      </p>
      <p data-testid="check-code" className="text-2xl font-semibold tracking-widest tabular-nums">
        {pairing.checkCode}
      </p>
      {["localhost", "127.0.0.1", "[::1]"].includes(qr.hostname) ? (
        <p className="text-sm wrap-anywhere">
          Only this computer reaches {qr.hostname}. For a phone, start Backloom with{" "}
          <code className="font-mono text-xs">
            HOST=0.0.0.0 APP_ORIGIN=http://NAME{qr.port ? `:${qr.port}` : ""} npm start
          </code>
          , where NAME is this computer's name or address in your network.
        </p>
      ) : null}
      <div className="flex items-center justify-between gap-2 text-xs text-muted">
        <TimeLeft until={pairing.expiresAt} />
        <Button size="sm" tone="quiet" onClick={onRenew}>
          New code
        </Button>
      </div>
    </div>
  );
}

function TimeLeft({ until }: { until: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return <span className="tabular-nums">Valid for {text}</span>;
}

function announcement(view: PairingView): string {
  switch (view.status) {
    case "waiting":
      return `A code is shown. Its number is ${view.pairing.checkCode}.`;
    case "approved":
      return "Approved on the phone. Signing you in.";
    case "declined":
      return "The phone declined.";
    case "expired":
      return "The code has expired.";
    default:
      return "";
  }
}

const quietZone = 4;

/** A QR code, dark on light in every theme: cameras need that. */
function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    import("qrcode").then(({ create }) => {
      const { modules } = create(text, { errorCorrectionLevel: "M" });
      if (isCurrent) setCode({ size: modules.size, path: pathOf(modules) });
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  const size = (code?.size ?? 41) + 2 * quietZone;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="aspect-square w-full rounded"
    >
      <rect width={size} height={size} fill="#ffffff" />
      {code ? <path d={code.path} fill="#161412" /> : null}
    </svg>
  );
}

function pathOf(modules: { size: number; get(row: number, column: number): number }): string {
  let path = "";
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      if (modules.get(row, column)) path += `M${column + quietZone} ${row + quietZone}h1v1h-1z`;
    }
  }
  return path;
}
