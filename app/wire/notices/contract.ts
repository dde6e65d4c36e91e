import { z } from "zod";
import { cursorSchema, httpUrlSchema, idSchema, requiredText, text } from "../text";

export const webhookEvents = [
  "question_opened",
  "question_answered",
  "question_expired",
  "run_paused",
  "run_failed",
  "run_done",
  "review_needed",
  "budget_warning",
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Mentions go to one person, never to a webhook. */
export const noticeKinds = [...webhookEvents, "mentioned", "ping"] as const;
export const noticeStatuses = ["pending", "delivered", "failed"] as const;

/** Body of a webhook request and source of push messages. */
export const noticePayloadSchema = z.object({
  event: z.enum(noticeKinds),
  product_id: z.string().nullable(),
  title: z.string(),
  body: z.string().nullable(),
  path: z.string(),
  data: z.record(z.string(), z.unknown()),
  occurred_at: z.string(),
});

/** A due notice with everything needed to send it. Service only. */
export const dueNoticeSchema = z.object({
  id: z.string(),
  kind: z.enum(noticeKinds),
  attempts: z.int(),
  payload: noticePayloadSchema,
  created_at: z.string(),
  webhook: z.object({ id: z.string(), url: z.string(), secret: z.string(), active: z.boolean() }).nullable(),
  user_id: z.string().nullable(),
  subscriptions: z.array(z.object({ id: z.string(), endpoint: z.string(), p256dh: z.string(), auth: z.string() })),
});
export type DueNotice = z.infer<typeof dueNoticeSchema>;
export const dueNoticesSchema = z.object({ notices: z.array(dueNoticeSchema) });

export const takeDueNoticesInput = z.object({
  limit: z.int().min(1).max(500).optional(),
  lease_seconds: z.int().min(5).optional(),
});

export const markNoticeInput = z.object({
  notice_id: idSchema,
  delivered: z.boolean(),
  response_status: z.int().optional(),
  error: z.string().optional(),
  give_up: z.boolean().optional(),
  gone_subscription_ids: z.array(idSchema).optional(),
});

export const markedNoticeSchema = z.object({
  id: z.string(),
  status: z.enum(noticeStatuses).nullable(),
  next_attempt_at: z.string().nullable(),
});

/** A browser's push subscription (specification: Push subscription). */
export const subscribePushInput = z.object({
  endpoint: httpUrlSchema,
  p256dh: requiredText(200),
  auth: requiredText(100),
  user_agent: text(1_000).optional(),
});

export const subscribedPushSchema = z.object({ id: z.string() });

export const unsubscribePushInput = z.object({ id: idSchema.optional(), endpoint: httpUrlSchema.optional() });

export const unsubscribedPushSchema = z.object({ removed: z.int() });

export const pushSubscriptionListSchema = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string(),
      user_agent: z.string().nullable(),
      host: z.string().nullable(),
      endpoint: z.string(),
      last_error: z.string().nullable(),
      disabled_at: z.string().nullable(),
      created_at: z.string(),
    }),
  ),
});

export const webhookSchema = z.object({
  id: z.string(),
  product_id: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  active: z.boolean(),
  created_by: z.string().nullable(),
  created_by_name: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  last_delivery: z
    .object({
      kind: z.enum(noticeKinds),
      status: z.enum(noticeStatuses),
      response_status: z.int().nullable(),
      last_error: z.string().nullable(),
      created_at: z.string(),
      delivered_at: z.string().nullable(),
    })
    .nullable(),
});

/** Includes the secret that signs requests. It is shown only once. */
export const createdWebhookSchema = webhookSchema.extend({ secret: z.string() });

export const webhookListSchema = z.object({ webhooks: z.array(webhookSchema) });

export const createWebhookInput = z.object({
  product_id: idSchema,
  url: httpUrlSchema,
  events: z.array(z.enum(webhookEvents)).min(1).optional(),
});

export const updateWebhookInput = z.object({
  webhook_id: idSchema,
  url: httpUrlSchema.optional(),
  events: z.array(z.enum(webhookEvents)).min(1).optional(),
  active: z.boolean().optional(),
});

export const webhookIdInput = z.object({ webhook_id: idSchema });

export const deletedWebhookSchema = z.object({ id: z.string(), deleted: z.boolean() });

export const pingedWebhookSchema = z.object({ id: z.string() });

export const listWebhooksInput = z.object({ product_id: idSchema });

export const listWebhookDeliveriesInput = webhookIdInput.extend({
  limit: z.int().min(1).max(200).optional(),
  cursor: cursorSchema.optional(),
});

export const webhookDeliveryPageSchema = z.object({
  deliveries: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(noticeKinds),
      payload: noticePayloadSchema,
      status: z.enum(noticeStatuses),
      attempts: z.int(),
      next_attempt_at: z.string(),
      response_status: z.int().nullable(),
      last_error: z.string().nullable(),
      delivered_at: z.string().nullable(),
      created_at: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
