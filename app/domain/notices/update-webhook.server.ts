import { type UpdateWebhookInput, type Webhook, webhookSchema } from "~/contract/notice";
import { type Actor, callAs } from "~/db/rpc.server";

/** Changes address, events or activity of a webhook. */
export function updateWebhook(actor: Actor, input: UpdateWebhookInput): Promise<Webhook> {
  return callAs(
    actor,
    "update_webhook",
    {
      p_webhook_id: input.webhook_id,
      p_url: input.url,
      p_events: input.events,
      p_active: input.active,
    },
    webhookSchema,
  );
}
