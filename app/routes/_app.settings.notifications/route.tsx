import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { subscribePushInput } from "~/contract/notice";
import {
  listPushSubscriptions,
  subscribePush,
  unsubscribePush,
} from "~/domain/notices/operations.server";
import { describeBrowser } from "~/features/accounts/describe-browser";
import { done, readForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { readId } from "~/http/read-id.server";
import { userAgentOf } from "~/http/signing-in-browser.server";
import { ActionForm } from "~/ui/action-form";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { Cell, Table } from "~/ui/rare/table";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
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
      return done(form, here, "Notifications turned on for this device");
    },
    remove: async () => {
      await unsubscribePush(actor, { id: readId(form, "subscription_id", "device") });
      return done(form, here, "Notifications turned off for that device");
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
        about="Get notified when an agent asks a question or a run needs you, even when Backloom is closed."
      >
        <ThisDevice
          publicKey={publicKey}
          endpoints={subscriptions.map(({ endpoint }) => endpoint)}
        />
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
                <Cell>
                  {subscription.disabled_at ? (
                    <Badge tone="failed">expired</Badge>
                  ) : (
                    <Badge>on</Badge>
                  )}
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
