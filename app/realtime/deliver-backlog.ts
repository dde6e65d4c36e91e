import type { ChangeEvent } from "~/wire/events";
import * as delivery from "./delivery";

export interface BacklogViewer extends delivery.Reader {
  productId: string;
  /** The reader also asked for events from running agents (`live=1`). */
  isLive: boolean;
}

/** Taken from the product's topic only. Some also come on user topics, and output about an idea comes only there. */
const ofProduct = new Set(["member", "product", "job_output"]);

/** Readers that do not know these would reload everything for each: agents produce output each second. */
const forLiveReaders = new Set(["job_output", "evidence", "waiver", "comment", "file", "pull"]);

/** What streams of a user say, no matter what product it is about. */
const ofUser = new Set(["question", "inbox"]);

/**
 * The specification names PBIs, stories, tasks and story logs; other entities are sent too. What happens often and
 * changes no backlog goes only to readers that ask for it (specification: Backlog stream).
 */
export function deliverBacklog(event: ChangeEvent, viewer: BacklogViewer, isProductTopic: boolean): delivery.Delivery {
  const credential = delivery.deliverCredentialChange(event, viewer);
  if (credential) return credential;
  if (delivery.losesProduct(event, viewer.productId, viewer.userId)) return delivery.end;
  if (event.product_id !== viewer.productId || ofUser.has(event.entity)) return delivery.drop;
  if (ofProduct.has(event.entity) && !isProductTopic) return delivery.drop;
  if (forLiveReaders.has(event.entity) && !viewer.isLive) return delivery.drop;
  return delivery.send;
}

const common = ["op", "entity", "id", "product_id"];
const parentFields = [
  ...common,
  "pbi_id",
  "story_id",
  "sprint_id",
  "old_pbi_id",
  "old_story_id",
  "old_sprint_id",
  "changed_fields",
];
const jobFields = [...common, "task_id", "kind", "status", "sprint_run_id", "changed_fields"];
const workerFields = [...common, "name", "last_quota_pct", "current_job_id", "stopped"];
const otherFields = [
  ...common,
  "user_id",
  "story_id",
  "task_id",
  "idea_id",
  "sprint_id",
  "sprint_run_id",
  "status",
  "sprint_status",
  "run_status",
  "execution_status",
  "archived",
  "changed_fields",
];

/** Payload of the backlog stream, the same for every reader who may see the event. */
export function backlogPayload(event: ChangeEvent): Record<string, unknown> {
  switch (event.entity) {
    case "pbi":
    case "story":
    case "task":
      return delivery.pickPresent(event, parentFields);
    case "story_log":
      return delivery.pick(event, ["op", "entity", "id", "story_id", "product_id", "idea_id"]);
    case "job":
      return delivery.pick(event, jobFields);
    case "job_output":
      return delivery.pick(event, [...common, "task_id", "doing"]);
    case "worker":
      return delivery.pick(event, workerFields);
    default:
      return delivery.pickPresent(event, otherFields);
  }
}
