import { noInput, operation, serviceOperation } from "~/nouns/operation.server";
import {
  createdWebhookSchema,
  createWebhookInput,
  deletedWebhookSchema,
  dueNoticesSchema,
  listWebhookDeliveriesInput,
  listWebhooksInput,
  markedNoticeSchema,
  markNoticeInput,
  pingedWebhookSchema,
  pushSubscriptionListSchema,
  subscribedPushSchema,
  subscribePushInput,
  takeDueNoticesInput,
  unsubscribedPushSchema,
  unsubscribePushInput,
  updateWebhookInput,
  webhookDeliveryPageSchema,
  webhookIdInput,
  webhookListSchema,
  webhookSchema,
} from "~/wire/notices/contract";

/** Creates a webhook of a product; its secret is returned only here. */
export const createWebhook = operation("create_webhook", createWebhookInput, createdWebhookSchema);

/** Deletes a webhook with its deliveries. */
export const deleteWebhook = operation("delete_webhook", webhookIdInput, deletedWebhookSchema);

/** The caller's devices (specification: Push subscription). */
export const listPushSubscriptions = operation("list_push_subscriptions", noInput, pushSubscriptionListSchema);

/** Delivery log of a webhook, newest first. */
export const listWebhookDeliveries = operation(
  "list_webhook_deliveries",
  listWebhookDeliveriesInput,
  webhookDeliveryPageSchema,
);

/** Webhooks of a product, for its owner. */
export const listWebhooks = operation("list_webhooks", listWebhooksInput, webhookListSchema);

/** Sends a test request to a webhook. */
export const pingWebhook = operation("ping_webhook", webhookIdInput, pingedWebhookSchema);

/** Adds this browser to the caller's devices (specification: Push subscription). */
export const subscribePush = operation("subscribe_push", subscribePushInput, subscribedPushSchema);

/** Removes a device of the caller (specification: Push subscription). */
export const unsubscribePush = operation("unsubscribe_push", unsubscribePushInput, unsubscribedPushSchema);

/** Changes address, events or activity of a webhook. */
export const updateWebhook = operation("update_webhook", updateWebhookInput, webhookSchema);

/** Records a delivery's result: delivered, retried later, or given up. */
export const markNotice = serviceOperation("mark_notice", markNoticeInput, markedNoticeSchema);

/** Takes notices that are due. Each becomes due again unless it is marked. */
export const takeDueNotices = serviceOperation("take_due_notices", takeDueNoticesInput, dueNoticesSchema);
