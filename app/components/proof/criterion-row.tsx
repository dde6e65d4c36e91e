import type { ProvenCriterion } from "~/contract/proof";
import { CriterionHead } from "./criterion-head";
import { EvidenceList } from "./evidence-list";
import { JudgeForms } from "./judge-forms";

/** One criterion: its words, how it stands, and what speaks for it. */
export function CriterionRow({
  storyId,
  criterion,
}: {
  storyId: string;
  criterion: ProvenCriterion;
}) {
  const { state, evidence } = criterion;
  return (
    <li className="grid gap-2 px-4 py-3" data-criterion={criterion.id}>
      <CriterionHead criterion={criterion} />
      {evidence.length > 0 ? (
        <details className="pl-6" open={state === "failed"}>
          <summary className="cursor-pointer text-xs text-muted">
            Evidence ({evidence.length})
          </summary>
          <EvidenceList evidence={evidence} />
        </details>
      ) : null}
      {state === "waived" ? null : <JudgeForms storyId={storyId} criterion={criterion} />}
    </li>
  );
}
