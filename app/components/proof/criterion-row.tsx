import { Badge } from "~/components/badge";
import { RelativeTime } from "~/components/relative-time";
import { StatusIcon } from "~/components/status-icon";
import type { ProvenCriterion } from "~/contract/proof";
import { CriterionText } from "./criterion-text";
import { EvidenceList } from "./evidence-list";
import { JudgeForms } from "./judge-forms";
import { criterionStates, grades } from "./proof-words";

/** One criterion: its words, how it stands, and what speaks for it. */
export function CriterionRow({
  storyId,
  criterion,
}: {
  storyId: string;
  criterion: ProvenCriterion;
}) {
  const { text, state, grade, waiver, evidence, kind } = criterion;
  const { label, tone } = criterionStates[state];
  const saw = grade !== null && (state === "proven" || state === "failed") ? grades[grade] : null;
  return (
    <li className="grid gap-2 px-4 py-3" data-criterion={criterion.id}>
      <div className="flex items-start gap-2.5">
        <StatusIcon tone={tone} className="mt-0.5 size-4 shrink-0" />
        <div className="grid min-w-0 grow gap-0.5">
          <p className="break-words text-sm">
            <CriterionText text={text} />
          </p>
          <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
            <span className="font-semibold">{label}</span>
            {saw ? <span>{saw}</span> : null}
            {kind === "definition_of_done" ? <Badge>Definition of done</Badge> : null}
          </p>
          {waiver ? (
            <p className="break-words text-xs text-muted">
              Waived by {waiver.waived_by} <RelativeTime at={waiver.created_at} />: {waiver.reason}
            </p>
          ) : null}
        </div>
      </div>
      {evidence.length > 0 ? (
        <details className="pl-6" open={state === "failed"}>
          <summary className="cursor-pointer text-xs text-muted">
            What speaks for it ({evidence.length})
          </summary>
          <EvidenceList evidence={evidence} />
        </details>
      ) : null}
      {state === "waived" ? null : <JudgeForms storyId={storyId} criterion={criterion} />}
    </li>
  );
}
