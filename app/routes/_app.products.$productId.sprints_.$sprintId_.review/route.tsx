import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { useHydrated } from "remix-utils/use-hydrated";
import { ChartFigure } from "~/features/charts/chart-figure";
import { drawBurndown } from "~/features/charts/draw-burndown.server";
import { LineCounts } from "~/features/diff/line-counts";
import { BeforeAfter, picturesOf } from "~/features/proof/before-after";
import { CriterionHead, EvidenceList } from "~/features/proof/criterion";
import { visible } from "~/features/proof/visible";
import { ReviewTimesFacts } from "~/features/review/review-times";
import { RunStatus } from "~/features/runs/run-status";
import { productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getSprintReview } from "~/nouns/pages/operations.server";
import { Badge, CodeChip } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Fact, Facts, Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { costsText, countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { CalendarDay } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status";
import { canonicalId } from "~/wire/canonical-id";
import type { ReviewedJob, ReviewedStory, SprintReview } from "~/wire/sprints/contract";
import { OpenEnds } from "./open-ends";
import { Retrospective } from "./retrospective";

export const loader = productLoader(async ({ actor, params }) => {
  const review = await getSprintReview(actor, { sprint_id: canonicalId(params.sprintId) });
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
  const met = criteria.filter(({ state }) => state === "proven" || state === "waived").length;
  const jobs = [...whole, ...stories.flatMap((story) => story.jobs)];
  return (
    <div className="grid gap-5">
      <ReviewHeader review={review} />
      <Section title="Goal">
        <p className="whitespace-pre-wrap break-words text-base">
          {sprint.sprint_goal ? visible(sprint.sprint_goal) : "No goal set."}
        </p>
      </Section>
      <Facts>
        <Fact isKey term="Stories done">{`${done} of ${stories.length}`}</Fact>
        {criteria.length > 0 ? <Fact isKey term="Criteria met">{`${met} of ${criteria.length}`}</Fact> : null}
        {jobs.some(({ additions }) => additions !== null) ? (
          <Fact isKey term="Changes">
            <Changes jobs={jobs} sumOnly />
          </Fact>
        ) : null}
        {costs.length > 0 ? (
          <Fact isKey term="Cost of runs">
            {costsText(costs)}
          </Fact>
        ) : null}
      </Facts>
      <ReviewTimesFacts times={review.review_times} />
      <Section title="Burndown" about="Open tasks at the end of each day.">
        {chart ? <ChartFigure chart={chart} /> : <p className="text-sm text-muted">No progress yet.</p>}
      </Section>
      <Retrospective facts={review.retrospective} />
      <section aria-label="Stories" className="grid gap-4">
        <h2 className="text-base font-semibold">{`Stories (${stories.length})`}</h2>
        {stories.length === 0 ? (
          <EmptyState compact title="No stories in this sprint">
            Stories and their proof are listed here.
          </EmptyState>
        ) : (
          stories.map((story) => <StoryReview key={story.id} story={story} />)
        )}
        {whole.length > 0 ? (
          <p className="text-sm text-muted">
            One job ran the whole sprint. Its changes and cost are included in the totals above, not in single stories.{" "}
            <Changes jobs={whole} />
          </p>
        ) : null}
      </section>
      <OpenEnds review={review} />
    </div>
  );
}

function ReviewHeader({ review }: { review: Pick<SprintReview, "sprint" | "product"> }) {
  const { sprint, product } = review;
  const hydrated = useHydrated();
  const home = `/products/${sprint.product_id}/sprints`;
  return (
    <PageHeader
      crumbs={[
        { label: "Sprints", to: home },
        { label: sprint.code, to: `${home}/${sprint.id}` },
      ]}
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          Review of {sprint.code}
          <RunStatus run={sprint} />
        </span>
      }
      lead={
        <span>
          {product.name}
          {sprint.start_date ? (
            <>
              , from <CalendarDay day={sprint.start_date} />
            </>
          ) : null}
          {sprint.end_date ? (
            <>
              {sprint.start_date ? " to " : ", until "}
              <CalendarDay day={sprint.end_date} />
            </>
          ) : null}
        </span>
      }
      actions={
        hydrated ? (
          <span className="print:hidden">
            <Button onClick={() => window.print()}>Print</Button>
          </span>
        ) : null
      }
    />
  );
}

function StoryReview({ story }: { story: ReviewedStory }) {
  const [done, all] = story.tasks;
  const pulls = [...new Set(story.jobs.flatMap(({ pr_url: url }) => (url ? [url] : [])))];
  return (
    <article
      aria-label={`${story.code} ${story.title}`}
      className="whole-on-paper min-w-0 rounded-lg border border-line bg-surface"
    >
      <header className="grid gap-1.5 px-4 py-3">
        <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-base font-semibold">
          <CodeChip>{story.code}</CodeChip>
          <Link to={`/stories/${story.id}`} className="min-w-0 break-words hover:underline">
            {visible(story.title)}
          </Link>
          <StatusPill status={story.status} />
          {story.left ? <Badge>No longer in this sprint</Badge> : null}
        </h3>
        <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
          <Term term="Tasks">{`${done} of ${countText(all, "task")} done`}</Term>
          <Term term="Changes">
            <Changes jobs={story.jobs} />
          </Term>
          <Term term="Cost">{costsText(story.costs) ?? "No data"}</Term>
          {story.assignee_name ? <Term term="Assignee">{story.assignee_name}</Term> : null}
          {pulls.map((url) => (
            <Term key={url} term="Pull request">
              <a href={url} rel="noreferrer nofollow" className="text-accent underline">
                {url}
              </a>
            </Term>
          ))}
        </dl>
      </header>
      {story.criteria.length > 0 ? (
        <ul className="divide-y divide-line border-t border-line">
          {story.criteria.map((criterion) => (
            <li key={criterion.id} className="px-4 py-2.5">
              <CriterionHead criterion={criterion}>
                {criterion.waiver ? null : (
                  <>
                    <BeforeAfter pictures={picturesOf(criterion.evidence)} />
                    <EvidenceList evidence={criterion.evidence} />
                  </>
                )}
              </CriterionHead>
            </li>
          ))}
        </ul>
      ) : (
        <p className="border-t border-line px-4 py-2.5 text-sm text-muted">No acceptance criteria.</p>
      )}
    </article>
  );
}

function Term({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div className="flex min-w-0 flex-wrap gap-x-1.5">
      <dt className="text-muted">{term}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

/** "+120 −8" over all jobs, and a link to the changes of each. */
export function Changes({ jobs, sumOnly = false }: { jobs: readonly ReviewedJob[]; sumOnly?: boolean }) {
  const changed = jobs.filter(({ additions }) => additions !== null);
  if (changed.length === 0) return <>No data</>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
      <LineCounts
        additions={sum(changed.map(({ additions }) => additions))}
        deletions={sum(changed.map(({ deletions }) => deletions))}
      />
      {sumOnly
        ? null
        : changed.map(({ id, task_code: code }) => (
            <Link key={id} to={`/jobs/${id}/changes`} className="text-xs text-accent underline underline-offset-2">
              Changes of {code ?? "the job"}
            </Link>
          ))}
    </span>
  );
}

const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((all, count) => all + (count ?? 0), 0);
