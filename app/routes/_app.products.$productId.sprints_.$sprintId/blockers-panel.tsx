import type { Blocker, Preflight } from "~/contract/sprint-run";
import { RemoveForm } from "~/features/dependencies/remove-dependency";
import { BlockerList, fixAll, PlanCures } from "~/features/runs/blocker-list";
import { ActionForm } from "~/ui/action-form";
import { SubmitButton } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { WriteFields } from "~/ui/write-access";
import { RunForm } from "./run-form";

/** Blockers of a run with their fixes, and one button that fixes all. */
export function BlockersPanel({
  preflight,
  productId,
}: {
  preflight: Preflight;
  productId: string;
}) {
  return (
    <div data-blockers>
      <WriteFields quiet className="grid gap-2">
        <BlockerList
          blockers={preflight.blockers}
          productId={productId}
          cures={({ type, task_code, dependency }) =>
            dependency ? (
              <Cures dependency={dependency} sprintId={preflight.sprint_id} />
            ) : type === "task_no_plan" ? (
              <PlanCures planFirst={preflight.plan_first} form="cure-run" about={task_code} />
            ) : null
          }
        />
        {preflight.tasks_total > 0 ? (
          <RunForm
            id="cure-run"
            intent="start-run"
            label="Fix all and start"
            cure={fixAll(preflight.plan_first)}
          />
        ) : null}
        <p className="text-xs text-muted">Anything still blocked is left out.</p>
      </WriteFields>
    </div>
  );
}

/** Fixes for a dependency: add the story to the sprint, or remove the dependency. */
function Cures({
  dependency,
  sprintId,
}: {
  dependency: NonNullable<Blocker["dependency"]>;
  sprintId: string;
}) {
  const { kind, id, blocker_id, blocker_code, joining_story_id, joining_story_code } = dependency;
  return (
    <span className="flex flex-wrap gap-1">
      {joining_story_id === null ? null : (
        <ActionForm>
          <HiddenFields
            fields={{ intent: "add-story", sprint_id: sprintId, story_id: joining_story_id }}
          />
          <SubmitButton tone="plain" size="sm">
            Add {joining_story_code} to the sprint
          </SubmitButton>
        </ActionForm>
      )}
      <RemoveForm
        kind={kind}
        id={id}
        blocker={{ id: blocker_id, code: blocker_code }}
        label="Remove blocker"
      />
    </span>
  );
}
