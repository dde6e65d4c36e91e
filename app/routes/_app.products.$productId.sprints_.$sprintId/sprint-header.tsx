import { RunStatus } from "~/features/runs/run-status";
import { hasEnded } from "~/nouns/sprints/takes-stories";
import { ActionForm } from "~/ui/action-form";
import { Button, buttonClass } from "~/ui/button";
import { Confirm } from "~/ui/confirm";
import { CheckField, TextAreaField, TextField } from "~/ui/field";
import { Icon } from "~/ui/icon";
import { Menu, MenuHeading, MenuLink } from "~/ui/menu";
import { CalendarDay } from "~/ui/relative-time";
import { StatusDot } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import type { SprintFrame } from "~/wire/pages/contract";
import type { Sprint } from "~/wire/sprints/contract";

/** The sprint's code, goal and status. */
export function SprintTitle({ sprint }: { sprint: Sprint }) {
  return (
    <>
      <span className="font-mono text-sm whitespace-nowrap text-muted">{sprint.code}</span>
      <span className="truncate">{sprint.sprint_goal || "No goal yet"}</span>
      {sprint.status === "active" ? <StatusDot status={sprint.status} /> : <RunStatus run={sprint} />}
    </>
  );
}

export function SprintMenu({ board }: { board: SprintFrame }) {
  const { sprint, stories } = board;
  return (
    <Menu
      key={sprint.status}
      label={`${sprint.code}: dates, review and more`}
      trigger={<Icon name="menu" />}
      align="end"
      triggerClassName={buttonClass("plain", "icon")}
    >
      <MenuHeading>
        <Dates sprint={sprint} />
      </MenuHeading>
      <MenuLink to={`/products/${sprint.product_id}/sprints/${sprint.id}/review`}>Sprint review</MenuLink>
      <WriteFields quiet>
        <EditSprint sprint={sprint} />
        <StateButtons sprint={sprint} storyCount={stories.length} />
      </WriteFields>
    </Menu>
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
  if (sprint.status === "planned") {
    return (
      <Confirm
        inMenu
        trigger="Cancel sprint"
        question={`Cancel ${sprint.code}?`}
        consequence={storyCount > 0 ? "Its stories return to the backlog." : "It has no stories."}
        confirmLabel="Cancel sprint"
        fields={{ intent: "cancel-sprint" }}
      />
    );
  }
  if (sprint.status === "active") {
    return (
      <Confirm
        inMenu
        trigger="Complete sprint"
        question={`Complete ${sprint.code}?`}
        consequence="Unfinished stories return to the backlog. The burndown is kept, and reviews stay open."
        confirmLabel="Complete sprint"
        confirmTone="primary"
      >
        {(buttons) => (
          <ActionForm fields={{ intent: "complete-sprint" }} className="grid gap-3">
            <CheckField name="carry_over" label="Move unfinished stories to the next sprint" />
            {buttons}
          </ActionForm>
        )}
      </Confirm>
    );
  }
  return null;
}

function EditSprint({ sprint }: { sprint: Sprint }) {
  if (hasEnded(sprint)) return null;
  return (
    <details>
      <summary data-menu-item className="menu-item">
        Edit goal and dates
      </summary>
      <ActionForm className="w-88 max-w-full p-2.5 max-sm:w-full" onDone={closeMenu}>
        <div className="grid gap-3">
          <input type="hidden" name="intent" value="update-sprint" />
          <input type="hidden" name="expected_version" value={sprint.version} />
          <TextAreaField label="Goal" required={false} rows={2} name="sprint_goal" defaultValue={sprint.sprint_goal} />
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
          <Button type="submit" tone="primary" className="justify-self-start">
            Save
          </Button>
        </div>
      </ActionForm>
    </details>
  );
}

const closeMenu = () => document.activeElement?.closest<HTMLElement>("[popover]:popover-open")?.hidePopover();
