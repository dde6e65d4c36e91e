import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Burndown } from "~/components/burndown";
import { ButtonLink } from "~/components/button";
import { Fact, Facts, Section } from "~/components/card";
import { EmptyState } from "~/components/empty-state";
import { costsText, countText, percentText, tokensText } from "~/components/numbers";
import { PageHeader } from "~/components/page-header";
import type { UsageNumbers } from "~/contract/insight";
import { getInsights } from "~/domain/insights/get-insights.server";
import { getShell } from "~/domain/pages/get-shell.server";
import { pageLoader, requireActor } from "~/http/page-guards.server";
import { isCanonicalUuid } from "~/http/uuid";
import { ProductFilter } from "../_app/product-filter";
import { CostBars } from "./cost-bars";
import { UsageTable } from "./usage-table";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context }) => {
  const { actor, principal } = await requireActor(request, context);
  const wanted =
    new URL(request.url).searchParams.get("product") ?? principal.active_product_id ?? "";
  const { products } = await getShell(actor, null);
  const product = products.find(({ id }) => id === wanted) ?? products[0];
  if (!product || !isCanonicalUuid(product.id)) return json({ productId: null, insights: null });
  return json({
    productId: product.id,
    insights: await getInsights(actor, { product_id: product.id }),
  });
});

export const meta: MetaFunction = () => [{ title: "Insights · Backloom" }];

export default function InsightsPage() {
  const { productId, insights } = useLoaderData<typeof loader>();
  if (!insights) {
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
            <Burndown days={insights.burndown} />
          </Section>
          <Section title="Cost a day">
            <CostBars days={insights.by_day} />
          </Section>
        </div>
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
