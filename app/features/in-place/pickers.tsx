import { Link } from "@remix-run/react";
import { movableColumns } from "~/features/board/board-settings";
import { priorityOptions } from "~/features/items/lists/priority";
import { statusLook } from "~/ui/status";
import type { StoryPageData } from "~/wire/pages/contract";
import { Picker, TypedProperty } from "./properties";

interface TaskStatusPickerProps {
  task: { id: string; status: string };
  /** Form action, if it is not the page's. */
  action?: string;
}

/** A task's status, on its page and in its panel. Nothing moves to failed by hand. */
export function TaskStatusPicker({ task: { id, status }, action }: TaskStatusPickerProps) {
  const failed = { value: "failed", label: statusLook("failed").label };
  return (
    <Picker
      label="Status"
      name="status"
      value={status}
      action={action}
      fields={{ intent: "set-status", task_id: id }}
      options={[
        ...movableColumns.map((column) => ({ value: column.status, label: column.label })),
        ...(status === "failed" ? [failed] : []),
      ]}
    />
  );
}

type PriorityPickerProps = { value: number; fields: Readonly<Record<string, string>>; action?: string };

/** The priority of a PBI, story or task. */
export function PriorityPicker({ value, fields, action }: PriorityPickerProps) {
  return (
    <Picker
      label="Priority"
      name="priority"
      value={String(value)}
      fields={fields}
      action={action}
      options={priorityOptions(value)}
    />
  );
}

interface StoryPickersProps {
  page: Pick<StoryPageData, "story" | "sprint" | "sprints" | "members" | "product">;
  /** Form action, if it is not the page's. */
  action?: string;
}

/** A story's sprint, assignee and priority, on its page and in its panel. */
export function StoryPickers({ page: { story, sprint, sprints, members, product }, action }: StoryPickersProps) {
  const closedSprint = sprint && !sprints.some(({ id }) => id === sprint.id) ? [sprint] : [];
  return (
    <>
      <Picker
        label="Sprint"
        name="sprint_id"
        value={story.sprint_id ?? ""}
        action={action}
        fields={{ intent: "set-sprint", story_id: story.id }}
        options={[
          { value: "", label: "In no sprint" },
          ...[...sprints, ...closedSprint].map(({ id, code, status }) => ({ value: id, label: `${code} (${status})` })),
        ]}
      >
        {sprint ? (
          <Link
            to={`/products/${product.id}/sprints/${sprint.id}`}
            className="shrink-0 text-xs text-accent underline underline-offset-2 hover:decoration-2"
          >
            Board<span className="sr-only"> of {sprint.code}</span>
          </Link>
        ) : null}
      </Picker>
      <Picker
        label="Assignee"
        name="assignee_id"
        value={story.assignee_id ?? ""}
        action={action}
        fields={{ intent: "assign", story_id: story.id }}
        options={[
          { value: "", label: "Unassigned" },
          ...members.map(({ id, username }) => ({ value: id, label: username })),
        ]}
      />
      <PriorityPicker value={story.priority} action={action} fields={{ intent: "update", story_id: story.id }} />
    </>
  );
}

type Who = { agent: string | null; model: string | null; effort: string | null };

export const efforts = [
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
];

type WhoPropertiesProps = { who: Who; above: "product" | "story"; fields: Record<string, string> };

/** Agent, model and effort of a story or task; empty leaves each to its product or story. */
export function WhoProperties({ who, above, fields }: WhoPropertiesProps) {
  const empty = `Same as ${above}`;
  return (
    <>
      <TypedProperty
        label="Agent"
        name="agent"
        value={who.agent ?? ""}
        fields={fields}
        empty={empty}
        placeholder="codex"
      />
      <TypedProperty label="Model" name="model" value={who.model ?? ""} fields={fields} empty={empty} />
      <Picker
        label="Effort"
        name="effort"
        value={who.effort ?? ""}
        fields={fields}
        options={[{ value: "", label: empty }, ...efforts]}
      />
    </>
  );
}
