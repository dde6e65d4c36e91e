import { Form } from "@remix-run/react";
import { CeilingField } from "~/features/budgets/ceiling-field";
import { RemoveForm } from "~/features/dependencies/remove-dependency";
import { BlockerList, CommonCures, FixAllNote, fixAll } from "~/features/runs/blocker-list";
import { PlanReviewField } from "~/features/runs/start-run";
import { ActionForm } from "~/ui/action-form";
import { SubmitButton } from "~/ui/button";
import { WriteFields } from "~/ui/write-access";
import type { Forecast } from "~/wire/budgets/contract";
import type { Blocker, Preflight } from "~/wire/sprint-runs/contract";

interface BlockersPanelProps {
  preflight: Preflight;
  forecast: Forecast | null;
  /** Those that the chosen fixes leave. */
  blockers: readonly Blocker[];
  chosen: readonly string[];
  productId: string;
}

/** Blockers of a run with their fixes, and one button that fixes all it can. */
export function BlockersPanel({ preflight, forecast, blockers, chosen, productId }: BlockersPanelProps) {
  const { plan_first: planFirst, sprint_id: sprintId } = preflight;
  const canMakeTasks = preflight.stories_without_tasks > 0;
  const all = fixAll(blockers, planFirst, canMakeTasks);
  return (
    <WriteFields quiet className="grid gap-2">
      <BlockerList
        blockers={blockers}
        productId={productId}
        cures={(blocker) =>
          blocker.dependency ? (
            <Cures dependency={blocker.dependency} sprintId={sprintId} />
          ) : (
            <CommonCures blocker={blocker} planFirst={planFirst} canMakeTasks={canMakeTasks} form="cure-run" />
          )
        }
      />
      {planFirst === "never" ? null : <PlanReviewField form="cure-run" />}
      {forecast ? <CeilingField forecast={forecast} form="cure-run" /> : null}
      <RunForm
        id="cure-run"
        intent="start-run"
        chosen={chosen}
        {...(all ? { label: "Fix all and start", cure: all } : {})}
      />
      {all ? <FixAllNote planFirst={planFirst} canMakeTasks={canMakeTasks} /> : null}
      <p className="text-xs text-muted">
        A fix holds for all tasks with the same reason. The run starts once nothing else blocks it.
      </p>
    </WriteFields>
  );
}

function Cures({ dependency, sprintId }: { dependency: NonNullable<Blocker["dependency"]>; sprintId: string }) {
  const { kind, id, blocker_id, blocker_code, joining_story_id, joining_story_code } = dependency;
  return (
    <span className="flex flex-wrap gap-1">
      {joining_story_id === null ? null : (
        <ActionForm fields={{ intent: "add-story", sprint_id: sprintId, story_id: joining_story_id }}>
          <SubmitButton tone="plain" size="sm">
            Add {joining_story_code} to the sprint
          </SubmitButton>
        </ActionForm>
      )}
      <RemoveForm kind={kind} id={id} blocker={{ id: blocker_id, code: blocker_code }} label="Remove blocker" />
    </span>
  );
}

interface RunFormProps {
  intent: string;
  label?: string;
  id?: string;
  cure?: string;
  chosen?: readonly string[];
  tone?: "plain";
  autoFocus?: boolean;
}

/** Starts a run of this sprint with one click; without a label, by the buttons that name this form. */
export function RunForm({ intent, label, id, cure, chosen = [], tone, autoFocus }: RunFormProps) {
  return (
    <WriteFields quiet>
      <Form method="post" id={id}>
        <input type="hidden" name="intent" value={intent} />
        {chosen.map((choice) => (
          <input key={choice} type="hidden" name="cure" value={choice} />
        ))}
        {label ? (
          <SubmitButton
            name="cure"
            value={cure}
            pendingLabel="Starting…"
            autoFocus={autoFocus}
            {...(tone ? { tone } : {})}
          >
            {label}
          </SubmitButton>
        ) : null}
      </Form>
    </WriteFields>
  );
}
