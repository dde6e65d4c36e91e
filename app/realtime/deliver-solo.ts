import type { ChangeEvent } from "~/wire/events";
import {
  type Delivery,
  deliverCredentialChange,
  drop,
  end,
  losesProduct,
  pick,
  type Reader,
  refresh,
  send,
  sendAndRefresh,
} from "./delivery";

export interface SoloViewer extends Reader {
  productId: string;
  /** The product's active sprint. */
  sprintId: string | null;
}

/**
 * Filter of the solo stream: one product, its active sprint, and items assigned to the reader, plus unassigned stories
 * (specification: Solo stream, server filter). If an item leaves the filter, the state is read again.
 */
export function deliverSolo(event: ChangeEvent, viewer: SoloViewer, isProductTopic: boolean): Delivery {
  const credential = deliverCredentialChange(event, viewer);
  if (credential) return credential;
  if (losesProduct(event, viewer.productId, viewer.userId)) return end;
  if (!isProductTopic || event.product_id !== viewer.productId) return drop;

  switch (event.entity) {
    case "task":
      return deliverTask(event, viewer);
    case "story":
      return deliverStory(event, viewer);
    case "sprint":
      return event.active_changed ? refresh : drop;
    case "job":
    case "worker":
      return send;
    default:
      return drop;
  }
}

function deliverTask(event: ChangeEvent, viewer: SoloViewer): Delivery {
  if (isMine(viewer, event.sprint_id, event.assignee_id)) return send;
  return isMine(viewer, event.old_sprint_id, event.old_assignee_id) ? refresh : drop;
}

/** If a story changes assignee or sprint, its tasks may enter or leave the filter, so the state is read again. */
function deliverStory(event: ChangeEvent, viewer: SoloViewer): Delivery {
  const isVisible = isMineOrFree(viewer, event.sprint_id, event.assignee_id);
  if (!changesFilter(event)) return isVisible ? send : drop;

  if (isVisible) return sendAndRefresh;
  return isMineOrFree(viewer, event.old_sprint_id, event.old_assignee_id) ? refresh : drop;
}

function changesFilter({ changed_fields: fields }: ChangeEvent): boolean {
  return fields?.some((field) => field === "sprint_id" || field === "assignee_id") ?? false;
}

type Id = string | null | undefined;

function isMine(viewer: SoloViewer, sprintId: Id, assigneeId: Id): boolean {
  return isActive(viewer, sprintId) && assigneeId === viewer.userId;
}

function isMineOrFree(viewer: SoloViewer, sprintId: Id, assigneeId: Id): boolean {
  return isActive(viewer, sprintId) && (assigneeId === viewer.userId || assigneeId === null);
}

function isActive(viewer: SoloViewer, sprintId: Id): boolean {
  return viewer.sprintId !== null && sprintId === viewer.sprintId;
}

const common = ["op", "entity", "id", "story_id", "product_id"];
const filterFields = ["sprint_id", "assignee_id"];
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  task: [...common, ...filterFields, "task_status", "task_title", "task_sort_order", "changed_fields"],
  story: [
    ...common,
    ...filterFields,
    "story_status",
    "story_sort_order",
    "story_title",
    "story_code",
    "changed_fields",
  ],
  job: [...common, "task_id", "kind", "status", "sprint_run_id"],
  worker: [...common, "name", "last_quota_pct", "current_job_id", "stopped"],
};

/** Payload of the solo stream, the same for every reader who may see the event. */
export function soloPayload(event: ChangeEvent): Record<string, unknown> {
  return pick(event, fieldsOf[event.entity] ?? common);
}
