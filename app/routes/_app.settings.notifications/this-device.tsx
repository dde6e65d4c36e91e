import { useFetcher } from "@remix-run/react";
import { useEffect, useState } from "react";
import { Button } from "~/ui/button";
import { enhancedField } from "~/ui/enhanced-field";
import { useHydrated } from "~/ui/use-hydrated";
import { useWriteAccess } from "~/ui/write-access";

/** Turns messages on for the browser that shows this page; turning off is in the list below. */
export function ThisDevice({
  publicKey,
  endpoints,
}: {
  publicKey: string | null;
  endpoints: readonly string[];
}) {
  const hydrated = useHydrated();
  const { canWrite, reason } = useWriteAccess();
  const { submit, state } = useFetcher();
  const [endpoint, setEndpoint] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    currentEndpoint().then(setEndpoint, () => setEndpoint(null));
  }, []);

  if (publicKey === null) {
    return <p className="text-sm text-muted">Push messages are not set up on this server.</p>;
  }
  if (!hydrated) return <p className="text-sm text-muted">Push messages need JavaScript.</p>;
  if (!("PushManager" in window) || !navigator.serviceWorker) {
    return <p className="text-sm text-muted">This browser does not support push messages.</p>;
  }
  if (endpoint && endpoints.includes(endpoint)) {
    return <p className="text-sm">Notifications are on for this device.</p>;
  }
  const turnOn = async () => {
    setProblem(null);
    const outcome = await subscribeHere(publicKey);
    if (typeof outcome === "string") return setProblem(outcome);
    setEndpoint(outcome.endpoint);
    submit({ intent: "subscribe", [enhancedField]: "1", ...outcome }, { method: "post" });
  };
  return (
    <div className="grid justify-items-start gap-2">
      <Button
        tone="primary"
        onClick={() => void turnOn()}
        disabled={!canWrite || state !== "idle"}
        title={reason ?? undefined}
      >
        Turn on notifications here
      </Button>
      {problem ? (
        <p role="alert" className="text-sm text-failed">
          {problem}
        </p>
      ) : null}
    </div>
  );
}

/** What the service needs to reach this browser. */
type PushKeys = { endpoint: string; p256dh: string; auth: string };

/** Where this browser is reached at present; null when it is not subscribed. */
async function currentEndpoint(): Promise<string | null> {
  const registration = await navigator.serviceWorker?.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  return subscription?.endpoint ?? null;
}

/** Asks the person and the push service; a text says why it did not work. */
async function subscribeHere(publicKey: string): Promise<PushKeys | string> {
  if ((await Notification.requestPermission()) !== "granted") {
    return "Notifications are blocked for this site. Allow them in your browser settings.";
  }
  try {
    const registration = await navigator.serviceWorker.ready;
    const subscription = await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: publicKey,
    });
    const { endpoint, keys } = subscription.toJSON();
    const { p256dh, auth } = keys ?? {};
    if (endpoint && p256dh && auth) return { endpoint, p256dh, auth };
  } catch {
    // The push service refused or cannot be reached: said below.
  }
  return "The browser's push service rejected the subscription. Try again later.";
}
