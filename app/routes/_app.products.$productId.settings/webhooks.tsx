import { Form } from "@remix-run/react";
import { ActionForm } from "~/ui/action-form";
import { Button, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { TextField } from "~/ui/field";
import { CopyBlock } from "~/ui/rare/copy-button";
import { WriteFields } from "~/ui/write-access";
import { Deliveries, type Delivery } from "./deliveries";

export const eventChoices = [
  ["question_opened", "A question is asked"],
  ["question_answered", "A question is answered"],
  ["question_expired", "A question expires"],
  ["run_paused", "A run pauses"],
  ["run_failed", "A run fails"],
  ["run_done", "A run is done"],
  ["review_needed", "A task needs a review"],
  ["budget_warning", "A budget is nearly reached"],
] as const;

interface ShownWebhook {
  id: string;
  url: string;
  active: boolean;
  events: readonly string[];
  deliveries: readonly Delivery[];
}

/** Addresses that are told what happens; every request is signed. */
export function Webhooks({
  webhooks,
  secret,
}: {
  webhooks: readonly ShownWebhook[];
  secret: string | null;
}) {
  return (
    <Section
      title="Webhooks"
      about="Send events to other services. Each request is signed with the webhook's secret."
    >
      {secret ? (
        <CopyBlock label="Secret of the new webhook (shown only once)" text={secret} />
      ) : null}
      <ul className="my-3 grid gap-3">
        {webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} />
        ))}
      </ul>
      <WriteFields quiet>
        <details>
          <summary className="text-sm text-accent underline underline-offset-2 hover:decoration-2">
            Add a webhook
          </summary>
          <Form method="post" className="mt-3 grid gap-3">
            <input type="hidden" name="intent" value="add-webhook" />
            <TextField label="Address" name="url" type="url" required placeholder="https://" />
            <fieldset className="grid gap-1.5">
              <legend className="mb-1 text-sm font-medium">Tell it when</legend>
              {eventChoices.map(([value, label]) => (
                <label key={value} className="flex items-center gap-2 text-sm">
                  <input
                    type="checkbox"
                    name="events"
                    value={value}
                    defaultChecked
                    className="size-4 accent-(--accent)"
                  />
                  {label}
                </label>
              ))}
            </fieldset>
            <div>
              <SubmitButton pendingLabel="Adding…">Add webhook</SubmitButton>
            </div>
          </Form>
        </details>
      </WriteFields>
    </Section>
  );
}

function WebhookRow({ webhook }: { webhook: ShownWebhook }) {
  const hidden = <input type="hidden" name="webhook_id" value={webhook.id} />;
  return (
    <li className="grid gap-1.5 rounded border border-line bg-raised p-3 text-sm">
      <p className="font-mono text-xs">{webhook.url}</p>
      <p className="text-xs text-muted">
        {webhook.active ? `${webhook.events.length} event types` : "Turned off"}
      </p>
      <WriteFields quiet className="flex flex-wrap gap-2">
        <ActionForm>
          {hidden}
          <Button type="submit" size="sm" name="intent" value="ping-webhook">
            Send test
          </Button>
        </ActionForm>
        <ActionForm>
          {hidden}
          <input type="hidden" name="active" value={webhook.active ? "no" : "yes"} />
          <Button type="submit" size="sm" name="intent" value="switch-webhook">
            {webhook.active ? "Turn off" : "Turn on"}
          </Button>
        </ActionForm>
        <Confirm
          size="sm"
          trigger="Delete"
          question="Delete this webhook?"
          consequence="This also deletes its delivery log."
          confirmLabel="Delete"
        >
          {(buttons) => (
            <ActionForm>
              {hidden}
              <input type="hidden" name="intent" value="delete-webhook" />
              {buttons}
            </ActionForm>
          )}
        </Confirm>
      </WriteFields>
      <Deliveries deliveries={webhook.deliveries} />
    </li>
  );
}
