import { Link } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { Section } from "~/components/card";
import { SelectField } from "~/components/field";
import { priorityLabel } from "~/components/priority";
import { WriteFields } from "~/components/write-access";
import type { StoryPageData } from "~/contract/page-data";

/** Where the story stands: its sprint, who has it, how urgent it is. */
export function StoryPlace({ page }: { page: StoryPageData }) {
  const { story, sprint, sprints, members, product } = page;
  const closedSprint = sprint && !sprints.some(({ id }) => id === sprint.id) ? [sprint] : [];
  const choices = [...sprints, ...closedSprint];
  return (
    <Section title="Place">
      <div className="grid gap-3">
        <p className="text-sm text-muted">
          {priorityLabel(story.priority)} priority
          {sprint ? (
            <>
              {" · "}
              <Link
                to={`/products/${product.id}/sprints/${sprint.id}`}
                className="text-accent underline underline-offset-2 hover:decoration-2"
              >
                Board of {sprint.code}
              </Link>
            </>
          ) : null}
        </p>
        <WriteFields quiet className="grid gap-3">
          <ActionForm className="flex items-end gap-2">
            <input type="hidden" name="intent" value="set-sprint" />
            <div className="flex-1">
              <SelectField
                key={story.sprint_id}
                name="sprint_id"
                label="Sprint"
                defaultValue={story.sprint_id ?? ""}
                options={[
                  { value: "", label: "In no sprint" },
                  ...choices.map(({ id, code, status }) => ({
                    value: id,
                    label: `${code} (${status})`,
                  })),
                ]}
              />
            </div>
            <Button type="submit">Set</Button>
          </ActionForm>
          <ActionForm className="flex items-end gap-2">
            <input type="hidden" name="intent" value="assign" />
            <div className="flex-1">
              <SelectField
                key={story.assignee_id}
                name="assignee_id"
                label="Who has it"
                defaultValue={story.assignee_id ?? ""}
                options={[
                  { value: "", label: "Nobody yet" },
                  ...members.map(({ id, username }) => ({ value: id, label: username })),
                ]}
              />
            </div>
            <Button type="submit">Set</Button>
          </ActionForm>
        </WriteFields>
      </div>
    </Section>
  );
}
