import type { ChangeEvent } from "~/wire/events";
import * as delivery from "./delivery";

export interface JobViewer extends delivery.Reader {
  jobId: string;
  productId: string;
}

/** Filter of a job stream: each change of the job, followed by its new state. `JobOutputs` sends the agent's output. */
export function deliverJob(event: ChangeEvent, viewer: JobViewer): delivery.Delivery {
  const credential = delivery.deliverCredentialChange(event, viewer);
  if (credential) return credential;
  if (delivery.losesProduct(event, viewer.productId, viewer.userId)) return delivery.end;
  if (event.entity !== "job" || event.id !== viewer.jobId) return delivery.drop;
  return event.op === "D" ? delivery.end : delivery.sendAndRefresh;
}

const fields = ["op", "entity", "id", "product_id", "task_id", "kind", "status", "sprint_run_id"];

export const jobPayload = (event: ChangeEvent): Record<string, unknown> => delivery.pick(event, fields);
