import type { ChangeEvent } from "~/wire/events";
import {
  type Delivery,
  deliverCredentialChange,
  drop,
  end,
  losesProduct,
  pick,
  type Reader,
  sendAndRefresh,
} from "./delivery";

export interface JobViewer extends Reader {
  jobId: string;
  productId: string;
}

/** Filter of a job stream: each change of the job, followed by its new state. `JobOutputs` sends the agent's output. */
export function deliverJob(event: ChangeEvent, viewer: JobViewer): Delivery {
  const credential = deliverCredentialChange(event, viewer);
  if (credential) return credential;
  if (losesProduct(event, viewer.productId, viewer.userId)) return end;
  if (event.entity !== "job" || event.id !== viewer.jobId) return drop;
  return event.op === "D" ? end : sendAndRefresh;
}

const fields = ["op", "entity", "id", "product_id", "task_id", "kind", "status", "sprint_run_id"];

export function jobPayload(event: ChangeEvent): Record<string, unknown> {
  return pick(event, fields);
}
