import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { ButtonLink } from "~/components/button";
import { Fact, Facts, Section } from "~/components/card";
import { ChartFigure } from "~/components/charts/chart-figure";
import { drawBurndown } from "~/components/charts/draw-burndown.server";
import { drawCosts } from "~/components/charts/draw-costs.server";
import { drawCycleTimes } from "~/components/charts/draw-cycle-times.server";
import { EmptyState } from "~/components/empty-state";
import { costsText, countText, percentText, tokensText } from "~/components/numbers";
import { PageHeader } from "~/components/page-header";
import type { Insights, UsageNumbers } from "~/contract/insight";
import { getForecast } from "~/domain/budgets/get-forecast.server";
import { getInsights } from "~/domain/insights/get-insights.server";
import { getShell } from "~/domain/pages/get-shell.server";
import { pageLoader, requireActor } from "~/http/page-guards.server";
import { isCanonicalUuid } from "~/http/uuid";
import { ProductFilter } from "../_app/product-filter";
import { CostCharts } from "./cost-charts";
import { Estimates } from "./estimates";
import { UsageTable } from "./usage-table";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context }) => {
  const { actor, principal } = await requireActor(request, context);
  const wanted =
    new URL(request.url).searchParams.get("product") ?? principal.active_product_id ?? "";
  const { products } = await getShell(actor, null);
  const product = products.find(({ id }) => id === wanted) ?? products[0];
  if (!product || !isCanonicalUuid(product.id)) return json({ productId: null, insights: null });
  const [{ burndown, by_day, by_day_model, cycle_times, ...insights }, forecast] =
    await Promise.all([
      getInsights(actor, { product_id: product.id }),
      getForecast(actor, { product_id: product.id }),
    ]);
  return json({
    productId: product.id,
    insights,
    forecast,
    used: by_day.length > 0,
    charts: {
      burndown: insights.sprint ? drawBurndown(burndown, insights.sprint) : null,
      costs: drawCosts(by_day_model),
      cycleTimes: drawCycleTimes(cycle_times),
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Insights · Backloom" }];

export default function InsightsPage() {
  const data = useLoaderData<typeof loader>();
  if (!data.insights) {
    return (
      <>
        <PageHeader title="Insights" lead="How the work goes and what it costs." />
        <EmptyState
          title="No product yet"
          action={
            <ButtonLink to="/products/new" tone="primary" data-create>
              Create a product
            </ButtonLink>
          }
        >
          Burndown, tokens and cost belong to a product.
        </EmptyState>
      </>
    );
  }
  const { productId, insights, forecast, charts, used } = data;
  const { totals, sprint } = insights;
  return (
    <>
      <PageHeader
        title="Insights"
        lead="How the work goes and what it costs."
        actions={<ProductFilter productId={productId} required />}
      />
      <div className="grid gap-5">
        <Totals totals={totals} />
        <div className="grid items-start gap-5 xl:grid-cols-2">
          <Section
            title={sprint ? `Burndown of ${sprint.code}` : "Burndown"}
            about={sprint?.sprint_goal}
          >
            {charts.burndown ? (
              <ChartFigure
                chart={charts.burndown}
                caption="The upper line is the scope, dots the even way to its end; weekends are tinted."
              />
            ) : (
              <p className="text-sm text-muted">
                The line begins when the sprint starts and its first task moves.
              </p>
            )}
          </Section>
          <Section title="Cost a day" about="Stacked by model.">
            <CostCharts charts={charts.costs} used={used} />
          </Section>
          <Section title="Cycle time" about="From the first start of a task to its end, 90 days.">
            {charts.cycleTimes ? (
              <ChartFigure
                chart={charts.cycleTimes}
                caption="A dot is a task; heights grow with the root of the time."
              />
            ) : (
              <p className="text-sm text-muted">Three finished tasks make the first picture.</p>
            )}
          </Section>
          <ProductCosts products={insights.by_product} current={productId} />
        </div>
        <Estimates forecast={forecast} />
        <UsageTable
          title="By model"
          rows={insights.by_model.map((row) => ({
            ...row,
            key: row.model_id ?? "",
            label: row.model_id ?? "unknown model",
            to: null,
          }))}
        />
        <UsageTable
          title="By worker"
          rows={insights.by_worker.map((row) => ({
            ...row,
            key: row.worker_id ?? "",
            label: row.worker_name ?? "a worker that is gone",
            to: null,
          }))}
        />
        <UsageTable
          title="By sprint"
          rows={insights.by_sprint.map((row) => ({
            ...row,
            key: row.sprint_id ?? "",
            label: row.sprint_code ?? "outside sprints",
            to: row.sprint_id ? `/products/${productId}/sprints/${row.sprint_id}` : null,
          }))}
        />
        <UsageTable
          title="By run"
          rows={insights.by_run.map((row) => ({
            ...row,
            key: row.sprint_run_id ?? "",
            label: row.branch ?? "outside runs",
            to: row.sprint_run_id ? `/products/${productId}/runs/${row.sprint_run_id}` : null,
          }))}
        />
        <UsageTable
          title="By story"
          rows={insights.by_story.map((row) => ({
            ...row,
            key: row.story_id ?? "",
            label: row.story_code ? `${row.story_code} ${row.story_title}` : "without a story",
            to: row.story_id ? `/stories/${row.story_id}` : null,
          }))}
        />
        <UsageTable
          title="By task"
          rows={insights.by_task.map((row) => ({
            ...row,
            key: row.task_id ?? "",
            label: row.task_code ? `${row.task_code} ${row.task_title}` : "without a task",
            to: row.task_id ? `/tasks/${row.task_id}` : null,
          }))}
        />
      </div>
    </>
  );
}

/** What each product cost beside the others. */
function ProductCosts({
  products,
  current,
}: {
  products: Insights["by_product"];
  current: string;
}) {
  if (products.length === 0) return null;
  return (
    <Section title="By product">
      <ul className="grid gap-1 text-sm">
        {products.map(({ product_id, name, costs }) => (
          <li key={product_id} className="flex items-baseline justify-between gap-4">
            <Link
              to={`?product=${product_id}`}
              aria-current={product_id === current ? "true" : undefined}
              className="min-w-0 truncate hover:underline aria-[current]:font-semibold"
            >
              {name}
            </Link>
            <span className="tabular-nums">{costsText(costs)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Totals({ totals }: { totals: UsageNumbers }) {
  const read = totals.input_tokens + totals.cache_read_tokens + totals.cache_write_tokens;
  const cached = read === 0 ? null : totals.cache_read_tokens / read;
  return (
    <Facts>
      <Fact term="Cost">{costsText(totals.costs) ?? "not known"}</Fact>
      <Fact term="Jobs">{countText(totals.jobs, "job")}</Fact>
      <Fact term="Read">{tokensText(read)}</Fact>
      <Fact term="Written">{tokensText(totals.output_tokens)}</Fact>
      {cached === null ? null : <Fact term="Read from the cache">{percentText(cached)}</Fact>}
      {totals.unpriced_jobs > 0 ? (
        <Fact term="Without a price">{countText(totals.unpriced_jobs, "job")}</Fact>
      ) : null}
    </Facts>
  );
}
