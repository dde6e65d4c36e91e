import { Link } from "@remix-run/react";
import type { StoryPageData } from "~/contract/page-data";
import { PriorityPicker } from "~/features/in-place/priority-picker";
import { Picker, Properties, TypedProperty } from "~/features/in-place/properties";
import { DeleteThing, goesAlong } from "~/features/items/keys/delete-thing";

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
        label="Assignee"
        name="assignee_id"
        value={story.assignee_id ?? ""}
        fields={{ intent: "assign", story_id: story.id }}
        options={[
          { value: "", label: "Unassigned" },
          ...members.map(({ id, username }) => ({ value: id, label: username })),
        ]}
      />
      <PriorityPicker value={story.priority} fields={update} />
      <Picker
        label="PBI"
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
  return (
    <DeleteThing
      noun="story"
      code={story.code}
      loss={goesAlong(tasks.length, "task")}
      fields={{ intent: "delete" }}
      goTo={`/products/${product.id}/backlog`}
    />
  );
}
