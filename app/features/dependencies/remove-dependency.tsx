import type { DependencyKind } from "~/contract/dependency";
import { ActionForm } from "~/ui/action-form";
import { SubmitButton } from "~/ui/button";
import { WriteFields } from "~/ui/write-access";

/** One press ends a dependency; also the cure in front of a run. */
export function RemoveForm({
  kind,
  id,
  blocker,
  label = "Remove",
}: {
  kind: DependencyKind;
  id: string;
  blocker: { id: string; code: string };
  label?: string;
}) {
  return (
    <WriteFields quiet>
      <ActionForm aria-label={`Remove blocker ${blocker.code}`}>
        <input type="hidden" name="intent" value="remove-dependency" />
        <input type="hidden" name="kind" value={kind} />
        <input type="hidden" name="id" value={id} />
        <input type="hidden" name="blocker" value={blocker.id} />
        <SubmitButton tone="quiet" size="sm" aria-label={`${label}: ${blocker.code}`}>
          {label}
        </SubmitButton>
      </ActionForm>
    </WriteFields>
  );
}
