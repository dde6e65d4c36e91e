import type { ReactNode } from "react";
import type { ProvenCriterion } from "~/contract/proof";
import { Badge } from "~/ui/badge";
import { RelativeTime } from "~/ui/relative-time";
import { StatusIcon } from "~/ui/status-icon";
import { CriterionText } from "./criterion-text";
import { criterionStates, grades } from "./proof-words";
import { visible } from "./visible";

/** The words of a criterion, how it stands, who saw it or let it go, and what a page adds below. */
export function CriterionHead({
  criterion: { text, state, grade, kind, waiver },
  children,
}: {
  criterion: ProvenCriterion;
  children?: ReactNode;
}) {
  const { label, tone } = criterionStates[state];
  const saw = grade !== null && (state === "proven" || state === "failed") ? grades[grade] : null;
  return (
    <div className="flex items-start gap-2.5">
      <StatusIcon tone={tone} className="mt-0.5 size-4 shrink-0" />
      <div className="grid min-w-0 grow gap-0.5">
        <p className="break-words text-sm">
          <CriterionText text={text} />
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          {waiver ? (
            <span className="wrap-anywhere">
              <span className="font-semibold">{label}</span> by {waiver.waived_by}{" "}
              <RelativeTime at={waiver.created_at} />: {visible(waiver.reason)}
            </span>
          ) : (
            <span className="font-semibold">{label}</span>
          )}
          {saw ? <span>{saw}</span> : null}
          {kind === "definition_of_done" ? <Badge>Definition of done</Badge> : null}
        </p>
        {children}
      </div>
    </div>
  );
}
