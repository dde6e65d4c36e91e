import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData, useSearchParams } from "@remix-run/react";
import { createSprintInput, type SprintOverview } from "~/contract/sprint";
import { createSprint, listSprints } from "~/domain/sprints/operations.server";
import { runForm } from "~/http/form-action.server";
import { pageAction, pageLoader, requireProduct, requireWriter } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { useRowKeys } from "~/ui/page-keys";
import { CalendarDay } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status-pill";
import { NewSprintForm } from "./new-sprint-form";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, productId } = await requireProduct(request, context, params);
  return json({ productId, sprints: await listSprints(actor, { product_id: productId }) });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const { productId } = await requireProduct(request, context, params);
  const form = await request.formData();
  form.set("product_id", productId);
  return runForm(form, createSprintInput, async (input) => {
    const sprint = await createSprint(actor, input);
    return redirect(`/products/${productId}/sprints/${sprint.id}`, 303);
  });
});

export const meta: MetaFunction = () => [{ title: "Sprints · Backloom" }];

export default function SprintsPage() {
  const { productId, sprints } = useLoaderData<typeof loader>();
  const [params] = useSearchParams();
  const creating = params.get("panel") === "new" || sprints.length === 0;
  useLiveRevalidation({ stream: "backlog", productId });
  useRowKeys();
  return (
    <>
      <div className="mb-4 flex items-center justify-between gap-3">
        <h1 className="text-xl font-semibold tracking-tight">Sprints</h1>
        {creating ? null : (
          <ButtonLink to="?panel=new" tone="primary" data-create>
            New sprint
          </ButtonLink>
        )}
      </div>
      <div className="grid gap-5">
        {creating ? <NewSprintForm cancelTo={sprints.length > 0 ? "?" : null} /> : null}
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
        {sprint.done_task_count}/{sprint.task_count} tasks in {sprint.story_count}{" "}
        {sprint.story_count === 1 ? "story" : "stories"}
      </span>
      <StatusPill status={sprint.status} className="max-sm:order-first" />
    </li>
  );
}
