import { json, type MetaFunction } from "@remix-run/node";
import { useFetcher, useLoaderData } from "@remix-run/react";
import { useEffect, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { describeBrowser } from "~/features/accounts/describe-browser";
import { done, readForm, runIntent, textOf } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { userAgentOf } from "~/http/signing-in.server";
import { listPushSubscriptions, subscribePush, unsubscribePush } from "~/nouns/notices/operations.server";
import { askForNotifications, secureOnly } from "~/secure-only";
import { WritePress } from "~/ui/action-form";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { enhancedField } from "~/ui/form-fields";
import { RelativeTime } from "~/ui/relative-time";
import { Cell, Table } from "~/ui/table";
import { useWriteAccess } from "~/ui/write-access";
import { canonicalId } from "~/wire/canonical-id";
import { subscribePushInput } from "~/wire/notices/contract";

const here = "/settings/notifications";

/** Push messages per device (specification: Push subscription). */
export const loader = personLoader(async ({ actor, context }) => {
  const { subscriptions } = await listPushSubscriptions(actor);
  return json({ subscriptions, publicKey: context.services.env.vapid?.publicKey ?? null });
});

export const action = writeAction(async ({ actor, form, request }) =>
  runIntent(form, {
    subscribe: async () => {
      const subscription = readForm(form, subscribePushInput);
      await subscribePush(actor, { ...subscription, user_agent: userAgentOf(request) ?? undefined });
      return done(form, here, "Notifications turned on for this device");
    },
    remove: async () => {
      await unsubscribePush(actor, { id: canonicalId(textOf(form, "subscription_id")) });
      return done(form, here, "Notifications turned off for that device");
    },
  }),
);

export const meta: MetaFunction = () => [{ title: "Notifications · Backloom" }];

export default function NotificationsPage() {
  const { subscriptions, publicKey } = useLoaderData<typeof loader>();
  return (
    <div className="grid max-w-3xl gap-5">
      <Section
        title="This device"
        about="Get notified when an agent asks a question or a run needs you, even when Backloom is closed."
      >
        <ThisDevice publicKey={publicKey} endpoints={subscriptions.map(({ endpoint }) => endpoint)} />
      </Section>
      <Section title="All devices" flush>
        {subscriptions.length === 0 ? (
          <EmptyState title="No devices" compact />
        ) : (
          <Table caption="Devices with notifications" head={["Device", "Added", "State", ""]}>
            {subscriptions.map((subscription) => (
              <tr key={subscription.id}>
                <Cell className="font-medium">{describeBrowser(subscription.user_agent)}</Cell>
                <Cell>
                  <RelativeTime at={subscription.created_at} />
                </Cell>
                <Cell>{subscription.disabled_at ? <Badge tone="failed">expired</Badge> : <Badge>on</Badge>}</Cell>
                <Cell className="text-end">
                  <WritePress fields={{ intent: "remove", subscription_id: subscription.id }} size="sm">
                    Turn off
                  </WritePress>
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Section>
    </div>
  );
}

/** Turns notifications on for this browser. The list below turns them off. */
function ThisDevice({ publicKey, endpoints }: { publicKey: string | null; endpoints: readonly string[] }) {
  const hydrated = useHydrated();
  const { canWrite, reason } = useWriteAccess();
  const { submit, state } = useFetcher();
  const [endpoint, setEndpoint] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    currentEndpoint(publicKey).then(setEndpoint, () => setEndpoint(null));
  }, [publicKey]);

  if (publicKey === null) {
    return <p className="text-sm text-muted">Push messages are not set up on this server.</p>;
  }
  if (!hydrated) return <p className="text-sm text-muted">Push messages need JavaScript.</p>;
  if (!secureOnly.serviceWorker || !("PushManager" in window)) {
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

type PushKeys = { endpoint: string; p256dh: string; auth: string };

/** Returns this browser's push endpoint; null if it is not subscribed, or only with an earlier key of the service. */
async function currentEndpoint(publicKey: string | null): Promise<string | null> {
  const registration = await secureOnly.serviceWorker?.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  return subscription && isFor(subscription, publicKey) ? subscription.endpoint : null;
}

function isFor({ options }: PushSubscription, publicKey: string | null): boolean {
  if (options.applicationServerKey === null) return true;
  const key = btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey)));
  return key.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") === publicKey;
}

/** Asks the user and the push service. Returns the keys, or a text that says what failed. */
async function subscribeHere(publicKey: string): Promise<PushKeys | string> {
  if ((await askForNotifications()) !== "granted") {
    return "Notifications are blocked for this site. Allow them in your browser settings.";
  }
  try {
    const registration = await secureOnly.serviceWorker?.ready;
    if (!registration) return "This browser does not support push messages.";
    const earlier = await registration.pushManager.getSubscription();
    // Browsers allow only one key at a time.
    if (earlier && !isFor(earlier, publicKey)) await earlier.unsubscribe();
    const subscription = await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: publicKey,
    });
    const { endpoint, keys } = subscription.toJSON();
    const { p256dh, auth } = keys ?? {};
    if (endpoint && p256dh && auth) return { endpoint, p256dh, auth };
  } catch {
    // The push service refused or is unreachable: reported below.
  }
  return "The browser's push service rejected the subscription. Try again later.";
}
