import type { AgentJobDetail } from "~/nouns/agent-jobs/contract";

const outcomeWords: Record<string, string> = {
  done: "done",
  skipped: "changed nothing",
  failed: "failed",
  cancelled: "cancelled",
  rate_limited: "rate limited",
  question: "asked a question",
  lost: "lost",
  failed_look: "verification failed to run",
  returned: "released",
  budget: "stopped by a budget",
  conflict: "merge conflict",
};

type JobAttempt = AgentJobDetail["attempts"][number];

/** Returns "Attempt 2: failed". */
export function attemptName({ attempt, outcome }: JobAttempt): string {
  return `Attempt ${attempt}: ${outcome ? (outcomeWords[outcome] ?? outcome) : "running"}`;
}
