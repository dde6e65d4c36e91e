import { firstLine } from "~/features/jobs/first-line";
import { countText } from "~/ui/numbers";
import { isHeld, type StatusTone } from "~/ui/status";

/** What a page knows of a task and its work. */
export interface WorkState {
  status: string;
  open_questions: number;
  job_status: string | null;
  job_phase: string | null;
  /** Codes of what it waits for. */
  waits_for: readonly string[];
  failure_reason: string | null;
  has_plan: boolean;
}

export interface StateLine {
  kind: "running" | "question" | "review" | "queued" | "blocked" | "failed" | "unplanned";
  text: string;
  tone: StatusTone;
}

/**
 * The one thing that is said of where a task stands. Cards, rows and pages all ask here, so that none says two things that
 * cannot both be true: a job that is parked for an answer is queued for the service, and waits for a person.
 */
export function stateLine(task: WorkState): StateLine | null {
  const { open_questions: questions, job_status, job_phase, waits_for, failure_reason } = task;
  const asks = countText(questions, "open question");
  if (isHeld(job_status))
    return { kind: "running", text: questions > 0 ? asks : "Running", tone: "progress" };
  if (questions > 0) return { kind: "question", text: asks, tone: "waiting" };
  if (task.status === "done") return null;
  if (task.status === "review" || job_phase === "review")
    return { kind: "review", text: "Needs review", tone: "review" };
  if (failure_reason) return { kind: "failed", text: firstLine(failure_reason), tone: "failed" };
  const [first, ...others] = waits_for;
  if (first !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    return { kind: "blocked", text: `Blocked by ${first}${more}`, tone: "waiting" };
  }
  if (job_status === "queued") {
    const text = job_phase === "verify" ? "Waiting for a second worker" : "Queued";
    return { kind: "queued", text, tone: "todo" };
  }
  if (!task.has_plan && task.status === "todo")
    return { kind: "unplanned", text: "No plan yet", tone: "idle" };
  return null;
}

/** Nobody works, and somebody is asked: what is called running stands still until they answer. */
export function waitsForPerson(tasks: readonly WorkState[]): boolean {
  return (
    !tasks.some(({ job_status }) => isHeld(job_status)) &&
    tasks.some((task) => task.job_status === "queued" && stateLine(task)?.kind === "question")
  );
}
