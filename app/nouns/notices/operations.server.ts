import { noInput, operation, serviceOperation } from "~/nouns/operation.server";
import * as wire from "~/wire/notices/contract";

/** Creates a webhook of a product; its secret is returned only here. */
export const createWebhook = operation("create_webhook", wire.createWebhookInput, wire.createdWebhookSchema);

/** Deletes a webhook with its deliveries. */
export const deleteWebhook = operation("delete_webhook", wire.webhookIdInput, wire.deletedWebhookSchema);

/** The caller's devices (specification: Push subscription). */
export const listPushSubscriptions = operation("list_push_subscriptions", noInput, wire.pushSubscriptionListSchema);

/** Delivery log of a webhook, newest first. */
export const listWebhookDeliveries = operation(
  "list_webhook_deliveries",
  wire.listWebhookDeliveriesInput,
  wire.webhookDeliveryPageSchema,
);

/** Webhooks of a product, for its owner. */
export const listWebhooks = operation("list_webhooks", wire.listWebhooksInput, wire.webhookListSchema);

/** Sends a test request to a webhook. */
export const pingWebhook = operation("ping_webhook", wire.webhookIdInput, wire.pingedWebhookSchema);

/** Adds this browser to the caller's devices (specification: Push subscription). */
export const subscribePush = operation("subscribe_push", wire.subscribePushInput, wire.subscribedPushSchema);

/** Removes a device of the caller (specification: Push subscription). */
export const unsubscribePush = operation("unsubscribe_push", wire.unsubscribePushInput, wire.unsubscribedPushSchema);

/** Changes address, events or activity of a webhook. */
export const updateWebhook = operation("update_webhook", wire.updateWebhookInput, wire.webhookSchema);

/** Records a delivery's result: delivered, retried later, or given up. */
export const markNotice = serviceOperation("mark_notice", wire.markNoticeInput, wire.markedNoticeSchema);

/** Takes notices that are due. Each becomes due again unless it is marked. */
export const takeDueNotices = serviceOperation("take_due_notices", wire.takeDueNoticesInput, wire.dueNoticesSchema);
