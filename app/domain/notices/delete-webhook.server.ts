import { type DeletedWebhook, deletedWebhookSchema, type WebhookIdInput } from "~/contract/notice";
import { type Actor, callAs } from "~/db/rpc.server";

/** Deletes a webhook with its deliveries. */
export function deleteWebhook(actor: Actor, input: WebhookIdInput): Promise<DeletedWebhook> {
  return callAs(actor, "delete_webhook", { p_webhook_id: input.webhook_id }, deletedWebhookSchema);
}
