import type { ChangeEvent } from "~/wire/events";
import * as delivery from "./delivery";

export interface SoloViewer extends delivery.Reader {
  productId: string;
  /** The product's active sprint. */
  sprintId: string | null;
}

/** Specification: Solo stream, server filter. If an item leaves the filter, the state is read again. */
export function deliverSolo(event: ChangeEvent, viewer: SoloViewer, isProductTopic: boolean): delivery.Delivery {
  const credential = delivery.deliverCredentialChange(event, viewer);
  if (credential) return credential;
  if (delivery.losesProduct(event, viewer.productId, viewer.userId)) return delivery.end;
  if (!isProductTopic || event.product_id !== viewer.productId) return delivery.drop;

  switch (event.entity) {
    case "task":
      return deliverTask(event, viewer);
    case "story":
      return deliverStory(event, viewer);
    case "sprint":
      return event.active_changed ? delivery.refresh : delivery.drop;
    case "job":
    case "worker":
      return delivery.send;
    default:
      return delivery.drop;
  }
}

function deliverTask(event: ChangeEvent, viewer: SoloViewer): delivery.Delivery {
  if (isMine(viewer, event.sprint_id, event.assignee_id)) return delivery.send;
  return isMine(viewer, event.old_sprint_id, event.old_assignee_id) ? delivery.refresh : delivery.drop;
}

/** If a story changes assignee or sprint, its tasks may enter or leave the filter, so the state is read again. */
function deliverStory(event: ChangeEvent, viewer: SoloViewer): delivery.Delivery {
  const isVisible = isMineOrFree(viewer, event.sprint_id, event.assignee_id);
  if (!changesFilter(event)) return isVisible ? delivery.send : delivery.drop;

  if (isVisible) return delivery.sendAndRefresh;
  return isMineOrFree(viewer, event.old_sprint_id, event.old_assignee_id) ? delivery.refresh : delivery.drop;
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
  return delivery.pick(event, fieldsOf[event.entity] ?? common);
}
