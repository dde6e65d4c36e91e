import { Link, useNavigate } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { Confirm, takenBack } from "~/components/confirm";
import { Picker, Properties, TypedProperty } from "~/components/in-place/properties";
import { countText } from "~/components/numbers";
import { priorityOptions } from "~/components/priority";
import type { StoryPageData } from "~/contract/page-data";

/** Where the story stands: its sprint, who has it, how urgent it is, where it belongs. */
export function StoryProperties({ page }: { page: StoryPageData }) {
  const { story, sprint, sprints, members, pbis, product } = page;
  const closedSprint = sprint && !sprints.some(({ id }) => id === sprint.id) ? [sprint] : [];
  const update = { intent: "update", story_id: story.id };
  return (
    <Properties footer={<DeleteStory page={page} />}>
      <Picker
        label="Sprint"
        name="sprint_id"
        value={story.sprint_id ?? ""}
        fields={{ intent: "set-sprint", story_id: story.id }}
        options={[
          { value: "", label: "In no sprint" },
          ...[...sprints, ...closedSprint].map(({ id, code, status }) => ({
            value: id,
            label: `${code} (${status})`,
          })),
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
        label="Who has it"
        name="assignee_id"
        value={story.assignee_id ?? ""}
        fields={{ intent: "assign", story_id: story.id }}
        options={[
          { value: "", label: "Nobody yet" },
          ...members.map(({ id, username }) => ({ value: id, label: username })),
        ]}
      />
      <Picker
        label="Priority"
        name="priority"
        value={String(story.priority)}
        fields={update}
        options={priorityOptions(story.priority)}
      />
      <Picker
        label="Belongs to"
        name="pbi_id"
        value={story.pbi_id}
        fields={update}
        options={pbis.map((pbi) => ({ value: pbi.id, label: `${pbi.code} ${pbi.title}` }))}
      />
      <TypedProperty label="Code" name="code" value={story.code} fields={update} mono />
    </Properties>
  );
}

function DeleteStory({ page: { story, tasks, product } }: { page: StoryPageData }) {
  const navigate = useNavigate();
  return (
    <Confirm
      trigger="Delete story"
      size="sm"
      question={`Delete ${story.code}?`}
      consequence={`Its ${countText(tasks.length, "task", "tasks")} go with it. ${takenBack}`}
      confirmLabel="Delete it"
    >
      {(buttons) => (
        <ActionForm onDone={() => navigate(`/products/${product.id}/backlog`)}>
          <input type="hidden" name="intent" value="delete" />
          {buttons}
        </ActionForm>
      )}
    </Confirm>
  );
}
