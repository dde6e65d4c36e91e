import {
  type ListWebhookDeliveriesInput,
  type WebhookDeliveryPage,
  webhookDeliveryPageSchema,
} from "~/contract/notice";
import { type Actor, callAs } from "~/db/rpc.server";

/** Delivery log of a webhook, newest first. */
export function listWebhookDeliveries(
  actor: Actor,
  input: ListWebhookDeliveriesInput,
): Promise<WebhookDeliveryPage> {
  return callAs(
    actor,
    "list_webhook_deliveries",
    { p_webhook_id: input.webhook_id, p_limit: input.limit, p_cursor: input.cursor },
    webhookDeliveryPageSchema,
  );
}
