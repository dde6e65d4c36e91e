import { type ListWebhooksInput, type WebhookList, webhookListSchema } from "~/contract/notice";
import { type Actor, callAs } from "~/db/rpc.server";

/** Webhooks of a product, for its owner. */
export function listWebhooks(actor: Actor, input: ListWebhooksInput): Promise<WebhookList> {
  return callAs(actor, "list_webhooks", { p_product_id: input.product_id }, webhookListSchema);
}
