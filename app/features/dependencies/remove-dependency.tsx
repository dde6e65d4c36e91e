import { WriteForm } from "~/ui/action-form";
import { SubmitButton } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import type { DependencyKind } from "~/wire/dependencies/contract";

type RemoveFormProps = { kind: DependencyKind; id: string; blocker: { id: string; code: string }; label?: string };

/** Removes a dependency with one click. Also offered in the pre-flight of a run. */
export function RemoveForm({ kind, id, blocker, label = "Remove" }: RemoveFormProps) {
  return (
    <WriteForm aria-label={`Remove blocker ${blocker.code}`}>
      <HiddenFields fields={{ intent: "remove-dependency", kind, id, blocker: blocker.id }} />
      <SubmitButton tone="quiet" size="sm" aria-label={`${label}: ${blocker.code}`}>
        {label}
      </SubmitButton>
    </WriteForm>
  );
}
