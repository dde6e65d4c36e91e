import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { getSprintReview } from "~/domain/pages/operations.server";
import { ChartFigure } from "~/features/charts/chart-figure";
import { drawBurndown } from "~/features/charts/draw-burndown.server";
import { visible } from "~/features/proof/visible";
import { pageLoader, requireProduct } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { Fact, Facts, Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { costsText } from "~/ui/numbers";
import { Changes } from "./changes";
import { OpenEnds } from "./open-ends";
import { ReviewHeader } from "./review-header";
import { StoryReview } from "./story-review";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor } = await requireProduct(request, context, params);
  const review = await getSprintReview(actor, { sprint_id: requireId(params.sprintId, "sprint") });
  const { burndown, ...rest } = review;
  return json({ review: rest, chart: drawBurndown(burndown, review.sprint) });
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `Review of ${data.review.sprint.code} · Backloom` : "Review · Backloom" },
];

export default function SprintReviewPage() {
  const { review, chart } = useLoaderData<typeof loader>();
  const { sprint, stories, costs, whole_sprint: whole } = review;
  useLiveRevalidation({ stream: "backlog", productId: sprint.product_id });
  const done = stories.filter(({ status }) => status === "done").length;
  const criteria = stories.flatMap((story) => story.criteria);
  const held = criteria.filter(({ state }) => state === "proven" || state === "waived").length;
  return (
    <div className="sprint-review grid gap-5">
      <ReviewHeader review={review} />
      <Section title="Goal">
        <p className="whitespace-pre-wrap break-words text-base">
          {sprint.sprint_goal ? visible(sprint.sprint_goal) : "No goal set."}
        </p>
      </Section>
      <Facts>
        <Fact term="Stories done">
          {done} of {stories.length}
        </Fact>
        <Fact term="Criteria met">
          {held} of {criteria.length}
        </Fact>
        <Fact term="Changes">
          <Changes jobs={[...whole, ...stories.flatMap(({ jobs }) => jobs)]} sumOnly />
        </Fact>
        <Fact term="Cost of runs">{costsText(costs) ?? "No data"}</Fact>
      </Facts>
      <Section title="Burndown" about="Open tasks at the end of each day.">
        {chart ? (
          <ChartFigure chart={chart} />
        ) : (
          <p className="text-sm text-muted">No progress yet.</p>
        )}
      </Section>
      <section aria-label="Stories" className="grid gap-4">
        <h2 className="text-lg font-semibold">Stories ({stories.length})</h2>
        {stories.length === 0 ? (
          <EmptyState compact title="No stories in this sprint">
            Stories and their proof are listed here.
          </EmptyState>
        ) : (
          stories.map((story) => <StoryReview key={story.id} story={story} />)
        )}
        {whole.length > 0 ? (
          <p className="text-sm text-muted">
            One job ran the whole sprint. Its changes and cost are included in the totals above, not
            in single stories. <Changes jobs={whole} />
          </p>
        ) : null}
      </section>
      <OpenEnds review={review} />
    </div>
  );
}
