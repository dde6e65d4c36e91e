import type { AgentJobDetail } from "~/contract/agent-job";

const outcomeWords: Record<string, string> = {
  done: "done",
  skipped: "was there already",
  failed: "failed",
  cancelled: "cancelled",
  rate_limited: "model's limit reached",
  question: "asked a question",
  lost: "lost",
  returned: "given back",
  budget: "stopped by a budget",
  conflict: "did not merge with other work",
};

type JobAttempt = AgentJobDetail["attempts"][number];

/** "Attempt 2: failed". */
export function attemptName({ attempt, outcome }: JobAttempt): string {
  return `Attempt ${attempt}: ${outcome ? (outcomeWords[outcome] ?? outcome) : "at work"}`;
}
