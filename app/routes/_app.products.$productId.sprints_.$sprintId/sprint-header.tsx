import type { SprintFrame } from "~/contract/page-data";
import type { Sprint } from "~/contract/sprint";
import { RunStatus } from "~/features/runs/stopped-run";
import { ActionForm } from "~/ui/action-form";
import { Button, ButtonLink } from "~/ui/button";
import { Confirm } from "~/ui/confirm";
import { TextAreaField, TextField } from "~/ui/field";
import { PageHeader } from "~/ui/page-header";
import { CalendarDay } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";

export function SprintHeader({ board }: { board: SprintFrame }) {
  const { sprint } = board;
  return (
    <div>
      <PageHeader
        title={
          <span className="flex flex-wrap items-baseline gap-x-2.5">
            <span className="font-mono text-base text-muted">{sprint.code}</span>
            {sprint.sprint_goal || "No goal yet"}
          </span>
        }
        lead={
          <span className="flex flex-wrap items-center gap-2.5">
            <RunStatus status={sprint.status} />
            <Dates sprint={sprint} />
          </span>
        }
        actions={
          <>
            <ButtonLink to={`/products/${sprint.product_id}/sprints/${sprint.id}/review`}>
              Sprint review
            </ButtonLink>
            <WriteFields quiet>
              <StateButtons sprint={sprint} storyCount={board.stories.length} />
            </WriteFields>
          </>
        }
      />
      <EditSprint sprint={sprint} />
    </div>
  );
}

function Dates({ sprint }: { sprint: Sprint }) {
  if (!sprint.start_date && !sprint.end_date) return <span>No dates set</span>;
  return (
    <span>
      {sprint.start_date ? <CalendarDay day={sprint.start_date} /> : "open"} to{" "}
      {sprint.end_date ? <CalendarDay day={sprint.end_date} /> : "open"}
    </span>
  );
}

function StateButtons({ sprint, storyCount }: { sprint: Sprint; storyCount: number }) {
  const change = (intent: string, buttons: React.ReactNode) => (
    <ActionForm>
      <input type="hidden" name="intent" value={intent} />
      {buttons}
    </ActionForm>
  );
  if (sprint.status === "planned") {
    return (
      <>
        <Confirm
          trigger="Cancel sprint"
          question={`Cancel ${sprint.code}?`}
          consequence={storyCount > 0 ? "Its stories return to the backlog." : "It has no stories."}
          confirmLabel="Cancel sprint"
        >
          {(buttons) => change("cancel-sprint", buttons)}
        </Confirm>
        {change(
          "start-sprint",
          <Button type="submit" tone="primary">
            Start sprint
          </Button>,
        )}
      </>
    );
  }
  if (sprint.status === "active") {
    return (
      <Confirm
        trigger="Complete sprint"
        question={`Complete ${sprint.code}?`}
        consequence="Unfinished stories return to the backlog. The burndown is kept."
        confirmLabel="Complete sprint"
        confirmTone="primary"
      >
        {(buttons) => change("complete-sprint", buttons)}
      </Confirm>
    );
  }
  return null;
}

function EditSprint({ sprint }: { sprint: Sprint }) {
  if (sprint.status === "completed" || sprint.status === "cancelled") return null;
  return (
    <details className="-mt-4">
      <summary className="inline-block text-sm text-accent underline underline-offset-2 hover:decoration-2">
        Edit goal and dates
      </summary>
      <ActionForm className="mt-3 max-w-xl">
        <WriteFields className="grid gap-3">
          <input type="hidden" name="intent" value="update-sprint" />
          <TextAreaField
            label="Goal"
            required={false}
            rows={2}
            name="sprint_goal"
            defaultValue={sprint.sprint_goal}
          />
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField
              label="Start date"
              required={false}
              type="date"
              name="start_date"
              defaultValue={sprint.start_date ?? ""}
            />
            <TextField
              label="End date"
              required={false}
              type="date"
              name="end_date"
              defaultValue={sprint.end_date ?? ""}
            />
          </div>
          <div>
            <Button type="submit" tone="primary">
              Save
            </Button>
          </div>
        </WriteFields>
      </ActionForm>
    </details>
  );
}
