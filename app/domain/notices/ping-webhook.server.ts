import { type PingedWebhook, pingedWebhookSchema, type WebhookIdInput } from "~/contract/notice";
import { type Actor, callAs } from "~/db/rpc.server";

/** Sends a test request to a webhook. */
export function pingWebhook(actor: Actor, input: WebhookIdInput): Promise<PingedWebhook> {
  return callAs(actor, "ping_webhook", { p_webhook_id: input.webhook_id }, pingedWebhookSchema);
}
