import {
  type CreatedWebhook,
  type CreateWebhookInput,
  createdWebhookSchema,
} from "~/contract/notice";
import { type Actor, callAs } from "~/db/rpc.server";

/** A new webhook of a product; its secret is answered once. */
export function createWebhook(actor: Actor, input: CreateWebhookInput): Promise<CreatedWebhook> {
  return callAs(
    actor,
    "create_webhook",
    { p_product_id: input.product_id, p_url: input.url, p_events: input.events },
    createdWebhookSchema,
  );
}
