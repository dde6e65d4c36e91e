import { Form } from "@remix-run/react";
import { ActionForm } from "~/ui/action-form";
import { Button, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { CopyBlock } from "~/ui/copy-button";
import { TextField } from "~/ui/field";
import { IdempotencyKey } from "~/ui/forms/idempotency-key";
import { countText } from "~/ui/numbers";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";

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

/** Addresses that receive events. All requests are signed. */
export function Webhooks({ webhooks, secret }: { webhooks: readonly ShownWebhook[]; secret: string | null }) {
  return (
    <Section title="Webhooks" about="Send events to other services. Each request is signed with the webhook's secret.">
      {secret ? <CopyBlock label="Secret of the new webhook (shown only once)" text={secret} /> : null}
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
            <IdempotencyKey made={secret} />
            <TextField label="Address" name="url" type="url" required placeholder="https://" />
            <fieldset className="grid gap-1.5">
              <legend className="mb-1 text-sm font-medium">Tell it when</legend>
              {eventChoices.map(([value, label]) => (
                <label key={value} className="flex items-center gap-2 text-sm">
                  <input type="checkbox" name="events" value={value} defaultChecked className="size-4" />
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
      <p className="text-xs text-muted">{webhook.active ? `${webhook.events.length} event types` : "Turned off"}</p>
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

interface Delivery {
  id: string;
  kind: string;
  title: string;
  status: string;
  attempts: number;
  next_attempt_at: string;
  response_status: number | null;
  last_error: string | null;
  delivered_at: string | null;
  created_at: string;
}

function Deliveries({ deliveries }: { deliveries: readonly Delivery[] }) {
  const [last] = deliveries;
  if (!last) {
    return <p className="text-xs text-muted">No deliveries yet. Send a test to check the address.</p>;
  }
  return (
    <details className="text-sm">
      <summary className="flex flex-wrap items-center gap-2 text-xs text-muted hover:text-ink">
        <Outcome delivery={last} />
        <span>
          {countText(deliveries.length, "delivery", "deliveries")}, the last <RelativeTime at={last.created_at} />
        </span>
      </summary>
      <ol aria-label="Deliveries" className="mt-2 divide-y divide-line border-t border-line">
        {deliveries.map((delivery) => (
          <li key={delivery.id} className="grid gap-0.5 py-2">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <Outcome delivery={delivery} />
              <span className="min-w-0 flex-1">{delivery.title}</span>
              <RelativeTime at={delivery.created_at} className="text-xs text-muted" />
            </p>
            <p className="text-xs text-muted">{detailOf(delivery)}</p>
            {delivery.last_error && delivery.status !== "delivered" ? (
              <p className="text-xs text-failed">{delivery.last_error}</p>
            ) : null}
            {delivery.status === "pending" && delivery.attempts > 0 ? (
              <p className="text-xs text-muted">
                Next attempt <RelativeTime at={delivery.next_attempt_at} />
              </p>
            ) : null}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Outcome({ delivery: { status } }: { delivery: Delivery }) {
  if (status === "delivered") return <StatusPill status="DONE" label="Delivered" />;
  if (status === "failed") return <StatusPill status="FAILED" label="Not delivered" />;
  return <StatusPill status="PENDING" label="Pending" />;
}

function detailOf({ kind, attempts, response_status }: Delivery): string {
  const answered = response_status === null ? "no response" : `response ${response_status}`;
  const tries = attempts === 0 ? "not sent yet" : `${countText(attempts, "try", "tries")}, ${answered}`;
  return `${kind.replaceAll("_", " ")} · ${tries}`;
}
