import { Alert } from "~/ui/alert";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import { firstLine } from "./first-line";

const kinds: Record<string, { name: string; cure: string }> = {
  agent_error: { name: "The agent failed", cure: "Read the output below, fix the task or its plan, and try again." },
  verification_failed: {
    name: "Verification failed",
    cure: "Compare the changes with the acceptance criteria, fix the task or its plan, and try again.",
  },
  rate_limited: {
    name: "Model rate limit reached",
    cure: "Wait until the limit resets, or start a worker with another agent, and try again.",
  },
  infrastructure: {
    name: "Worker failed",
    cure: "Check that the worker still runs and reaches this service, and try again.",
  },
};

/** Why a job failed: first line and remedy, with the full text folded. */
export function Failure({
  job: { status, failure_class, failure_reason },
}: {
  job: Pick<AgentJob, "status" | "failure_class" | "failure_reason">;
}) {
  if (failure_reason === null) return null;
  const kind = kinds[failure_class ?? ""];
  const line = firstLine(failure_reason);
  const isFinal = status === "failed";
  return (
    <Alert tone={isFinal ? "failed" : "waiting"} title={kind ? `${kind.name}: ${line}` : line}>
      {isFinal && kind ? <p>{kind.cure}</p> : null}
      {line === failure_reason ? null : (
        <details>
          <summary className="cursor-pointer text-muted">Full text</summary>
          <FullText>{failure_reason}</FullText>
        </details>
      )}
    </Alert>
  );
}

/** List version: the first line, which expands to the full text. */
export function FailureLine({ reason }: { reason: string | null }) {
  if (reason === null) return null;
  const line = firstLine(reason);
  if (line === reason) return <p className="break-words text-failed">{line}</p>;
  return (
    <details>
      <summary className="cursor-pointer break-words text-failed">{line}</summary>
      <FullText>{reason}</FullText>
    </details>
  );
}

function FullText({ children }: { children: string }) {
  return <pre className="mt-1 max-h-80 overflow-auto font-mono text-xs whitespace-pre-wrap">{children}</pre>;
}
