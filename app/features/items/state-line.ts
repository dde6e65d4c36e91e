import { firstLine } from "~/features/jobs/first-line";
import { countText } from "~/ui/numbers";
import { isHeld, type StatusTone } from "~/ui/status";

/** What a page knows about a task and its job. */
export interface WorkState {
  status: string;
  open_questions: number;
  job_status: string | null;
  job_phase: string | null;
  /** A verdict that can still be taken back. */
  pending_verdict?: string | null;
  holder_name?: string | null;
  fallback_agent?: string | null;
  waits_for: readonly string[];
  failure_reason: string | null;
  has_plan: boolean;
}

export interface StateLine {
  kind: "held" | "running" | "question" | "review" | "queued" | "blocked" | "failed" | "unplanned";
  text: string;
  tone: StatusTone;
}

/** Shared by cards, rows and pages, so that none contradicts another: a parked job is queued but waits for a person. */
export function stateLine(task: WorkState): StateLine | null {
  const { open_questions: questions, job_status, job_phase, waits_for, failure_reason } = task;
  const asks = countText(questions, "open question");
  if (task.holder_name) return { kind: "held", text: `${task.holder_name} has it in a terminal`, tone: "progress" };
  if (isHeld(job_status)) return { kind: "running", text: questions > 0 ? asks : "Running", tone: "progress" };
  if (job_status === "queued" && job_phase === "plan")
    return { kind: "question", text: "Plan to approve", tone: "waiting" };
  if (questions > 0) return { kind: "question", text: asks, tone: "waiting" };
  if (task.status === "done") return null;
  if (task.pending_verdict === "approve") return { kind: "queued", text: "Approved", tone: "done" };
  if (task.pending_verdict) return { kind: "queued", text: "Changes requested", tone: "todo" };
  if (task.status === "review" || job_phase === "review")
    return { kind: "review", text: "Needs review", tone: "review" };
  if (failure_reason) return { kind: "failed", text: firstLine(failure_reason), tone: "failed" };
  const [first, ...others] = waits_for;
  if (first !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return { kind: "blocked", text: `Blocked by ${first}${more}`, tone: "waiting" };
  }
  if (job_status === "queued") {
    const queued = task.fallback_agent ? `Queued for ${task.fallback_agent}` : "Queued";
    const text = job_phase === "verify" ? "Waiting for a second worker" : queued;
    return { kind: "queued", text, tone: "todo" };
  }
  if (!task.has_plan && task.status === "todo") return { kind: "unplanned", text: "No plan yet", tone: "idle" };
  return null;
}
