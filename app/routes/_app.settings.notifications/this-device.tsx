import { useFetcher } from "@remix-run/react";
import { useEffect, useState } from "react";
import { Button } from "~/components/button";
import { enhancedField } from "~/components/enhanced-field";
import { useHydrated } from "~/components/use-hydrated";
import { useWriteAccess } from "~/components/write-access";
import { currentEndpoint, subscribeHere } from "./push-subscription";

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
    return <p className="text-sm text-muted">This browser has no push messages.</p>;
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
