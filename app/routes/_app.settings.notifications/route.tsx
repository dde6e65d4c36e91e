import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { Badge } from "~/components/badge";
import { Button } from "~/components/button";
import { Section } from "~/components/card";
import { describeBrowser } from "~/components/describe-browser";
import { EmptyState } from "~/components/empty-state";
import { RelativeTime } from "~/components/relative-time";
import { Cell, Table } from "~/components/table";
import { WriteFields } from "~/components/write-access";
import { subscribePushInput } from "~/contract/notice";
import {
  listPushSubscriptions,
  subscribePush,
  unsubscribePush,
} from "~/domain/notices/operations.server";
import { done, readForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { readId } from "~/http/read-id.server";
import { userAgentOf } from "~/http/signing-in-browser.server";
import { ThisDevice } from "./this-device";

export { shouldRevalidate } from "~/live/unreachable";

const here = "/settings/notifications";

/** Push messages per device (specification: Push subscription). */
export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireActor(request, context);
  const { subscriptions } = await listPushSubscriptions(actor);
  return json({ subscriptions, publicKey: context.services.env.vapid?.publicKey ?? null });
});

export const action = pageAction(async ({ request, context }) => {
  const { actor } = await requireWriter(request, context);
  const form = await request.formData();
  return runIntent(form, {
    subscribe: async () => {
      const subscription = readForm(form, subscribePushInput);
      await subscribePush(actor, {
        ...subscription,
        user_agent: userAgentOf(request) ?? undefined,
      });
      return done(form, here, "Notifications are on for this device");
    },
    remove: async () => {
      await unsubscribePush(actor, { id: readId(form, "subscription_id", "device") });
      return done(form, here, "Notifications are off for that device");
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Notifications · Backloom" }];

export default function NotificationsPage() {
  const { subscriptions, publicKey } = useLoaderData<typeof loader>();
  return (
    <div className="grid max-w-3xl gap-5">
      <Section
        title="This device"
        about="A message when an agent asks you something or a run needs you, also while no page is open."
      >
        <ThisDevice
          publicKey={publicKey}
          endpoints={subscriptions.map(({ endpoint }) => endpoint)}
        />
      </Section>
      <Section title="All devices" flush>
        {subscriptions.length === 0 ? (
          <EmptyState title="No device gets messages" compact />
        ) : (
          <Table caption="Devices that get messages" head={["Device", "Since", "State", ""]}>
            {subscriptions.map((subscription) => (
              <tr key={subscription.id}>
                <Cell className="font-medium">{describeBrowser(subscription.user_agent)}</Cell>
                <Cell>
                  <RelativeTime at={subscription.created_at} />
                </Cell>
                <Cell>
                  {subscription.disabled_at ? <Badge tone="failed">gone</Badge> : <Badge>on</Badge>}
                </Cell>
                <Cell className="text-end">
                  <WriteFields quiet>
                    <ActionForm>
                      <input type="hidden" name="intent" value="remove" />
                      <input type="hidden" name="subscription_id" value={subscription.id} />
                      <Button type="submit" size="sm">
                        Turn off
                      </Button>
                    </ActionForm>
                  </WriteFields>
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Section>
    </div>
  );
}
