import { useFetcher } from "@remix-run/react";
import { useEffect } from "react";
import { waitsForReview } from "~/features/jobs/job-badges";
import { PressForm } from "~/ui/action-form";
import { Badge, CodeChip } from "~/ui/badge";
import { buttonClass } from "~/ui/button";
import { Fold } from "~/ui/fold";
import { useWriteAccess } from "~/ui/write-access";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import type { Preview, PreviewOffer } from "~/wire/previews/contract";

type TriedJob = Pick<AgentJob, "id" | "head_sha" | "idea_id" | "status" | "phase">;

const ends: Record<NonNullable<Preview["stopped_by"]>, string> = {
  person: "Stopped",
  idle: "Stopped, as no one used it",
  worker: "Stopped with its worker",
  review: "Stopped, as the work is merged",
};

/** Starts the application as a job handed it in, on its worker's machine, and opens it in a new tab. */
export function TryIt({ job }: { job: TriedJob }) {
  const { id, head_sha, idea_id, status } = job;
  if (head_sha === null || idea_id !== null || !(status === "done" || waitsForReview(job))) return null;
  return <OfferedPreview key={id} address={`/jobs/${id}/preview`} />;
}

/** For fingers, as high as other buttons. */
const touch = "pointer-coarse:h-10";

/** Read by itself: pages of work do not wait for it, and most have none. */
function OfferedPreview({ address }: { address: string }) {
  const { data, load } = useFetcher<PreviewOffer>({ key: address });
  const { canWrite } = useWriteAccess();
  useEffect(() => load(address), [address, load]);
  if (data === undefined) return null;
  const { preview, may_start } = data;
  const press = (intent: "start" | "stop", label: string) => (
    <PressForm
      action={address}
      fields={{ intent }}
      size="sm"
      tone={intent === "stop" ? "quiet" : "plain"}
      className={touch}
    >
      {label}
    </PressForm>
  );
  if (preview === null) return may_start ? press("start", "Try it") : null;
  const isAlive = preview.state === "starting" || preview.state === "ready";
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-sm" data-preview={preview.state}>
      {preview.url === null ? null : (
        <a href={preview.url} target="_blank" rel="noopener noreferrer" className={buttonClass("primary", "sm", touch)}>
          Try it
        </a>
      )}
      <span role="status" className="text-xs text-muted">
        {stateOf(preview)} <CodeChip>{preview.head_sha.slice(0, 8)}</CodeChip>
      </span>
      {preview.is_old ? <Badge tone="waiting">old</Badge> : null}
      {isAlive && canWrite ? press("stop", "Stop") : null}
      {!isAlive && may_start ? press("start", preview.state === "failed" ? "Try again" : "Try it") : null}
      {preview.log.length > 0 && preview.state !== "ready" ? (
        <Fold label={<span className="text-xs">Output</span>}>
          <pre className="overflow-x-auto font-mono text-xs whitespace-pre-wrap">{preview.log.join("\n")}</pre>
        </Fold>
      ) : null}
    </div>
  );
}

function stateOf({ state, stopped_by, log }: Preview): string {
  if (state === "starting") return "Starting";
  if (state === "failed") return `Did not start: ${log.at(-1) ?? "no reason known"}`;
  return stopped_by === null ? "Running" : ends[stopped_by];
}
