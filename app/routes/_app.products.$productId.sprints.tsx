import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData, useSearchParams } from "@remix-run/react";
import { RunStatus } from "~/features/runs/run-status";
import { runForm } from "~/http/form-action.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { createSprint, listSprints } from "~/nouns/sprints/operations.server";
import { useActionResult } from "~/ui/action-result";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { TextAreaField, TextField } from "~/ui/field";
import { againField } from "~/ui/form-fields";
import { CreateButtons, CreatedBefore } from "~/ui/forms/create-buttons";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { useRowKeys } from "~/ui/page-keys";
import { CalendarDay } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import { createSprintWithInput, type SprintOverview } from "~/wire/sprints/contract";

export const loader = productLoader(async ({ actor, productId }) =>
  json({ productId, sprints: await listSprints(actor, { product_id: productId }) }),
);

export const action = productAction(async ({ actor, productId, form }) => {
  form.set("product_id", productId);
  return runForm(form, createSprintWithInput, async (input) => {
    const sprint = await createSprint(actor, input);
    const sprints = `/products/${productId}/sprints`;
    const again = `${sprints}?panel=new&made=${sprint.id}`;
    return redirect(form.has(againField) ? again : `${sprints}/${sprint.id}`, 303);
  });
});

export const meta: MetaFunction = () => [{ title: "Sprints · Backloom" }];

export default function SprintsPage() {
  const { productId, sprints } = useLoaderData<typeof loader>();
  const [params] = useSearchParams();
  const made = sprints.find(({ id }) => id === params.get("made"));
  const creating = params.get("panel") === "new" || sprints.length === 0;
  useLiveRevalidation({ stream: "backlog", productId });
  useRowKeys();
  return (
    <>
      <PageHeader
        title="Sprints"
        actions={
          creating ? null : (
            <ButtonLink to="?panel=new" tone="primary" data-create>
              New sprint
            </ButtonLink>
          )
        }
      />
      <div className="grid gap-5">
        {creating ? (
          <NewSprintForm
            key={made?.id}
            made={made?.code ?? null}
            stories={made ? [] : params.getAll("story")}
            isAsked={params.has("panel")}
            cancelTo={sprints.length > 0 ? "?" : null}
          />
        ) : null}
        {sprints.length === 0 ? (
          <EmptyState compact title="No sprints yet">
            A sprint is a goal and the stories that you and your agents work on next.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
            {sprints.map((sprint) => (
              <SprintRow key={sprint.id} sprint={sprint} />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

function SprintRow({ sprint }: { sprint: SprintOverview }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-sunken">
      <Link to={sprint.id} data-row className="min-w-0 flex-1 basis-60 text-sm hover:underline">
        <span className="mr-2 font-mono text-xs text-muted">{sprint.code}</span>
        <span className="font-medium">{sprint.sprint_goal || "No goal yet"}</span>
      </Link>
      <span className="text-xs text-muted">
        {sprint.start_date ? <CalendarDay day={sprint.start_date} /> : null}
        {sprint.start_date && sprint.end_date ? " to " : null}
        {sprint.end_date ? <CalendarDay day={sprint.end_date} /> : null}
      </span>
      <span className="text-xs text-muted">
        {`${sprint.done_task_count}/${sprint.task_count} tasks in ${countText(sprint.story_count, "story", "stories")}`}
      </span>
      <RunStatus run={sprint} className="max-sm:order-first" />
    </li>
  );
}

interface NewSprintFormProps {
  /** Code of the sprint created before. */
  made: string | null;
  stories: readonly string[];
  isAsked: boolean;
  cancelTo: string | null;
}

function NewSprintForm({ made, stories, isAsked, cancelTo }: NewSprintFormProps) {
  const form = useServerForm<"sprint_goal" | "start_date" | "end_date">({ lastResult: useActionResult() });
  return (
    <Section
      title={stories.length > 0 ? `New sprint with ${countText(stories.length, "story", "stories")}` : "New sprint"}
    >
      <CreatedBefore code={made} />
      <ServerForm form={form} creates draft="new-sprint" className="grid max-w-xl gap-4">
        <WriteFields className="grid gap-4">
          {stories.map((id) => (
            <input key={id} type="hidden" name="story_ids" value={id} />
          ))}
          <TextAreaField
            label="Goal"
            required={false}
            // Focused if the user asked for the form; alone on the page it waits for the `c` key.
            autoFocus={isAsked}
            data-create={cancelTo === null || undefined}
            rows={2}
            description="What should be true when the sprint ends?"
            {...form.field("sprint_goal")}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField label="Start date" required={false} type="date" {...form.field("start_date")} />
            <TextField label="End date" required={false} type="date" {...form.field("end_date")} />
          </div>
          <div className="flex flex-wrap gap-2">
            <CreateButtons noun="sprint" />
            {cancelTo ? (
              <ButtonLink to={cancelTo} data-close>
                Cancel
              </ButtonLink>
            ) : null}
          </div>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}
