import { Link } from "@remix-run/react";
import type { Chart } from "~/features/charts/chart";
import { ChartFigure } from "~/features/charts/chart-figure";
import { Section } from "~/ui/card";
import { costsText } from "~/ui/numbers";
import type { Insights } from "~/wire/insights/contract";

/** Burndown of the sprint, cost per day, cycle times, and cost per product: each when it has something to show. */
export function Pictures({
  insights: { sprint, by_product: products },
  charts,
  used,
  productId,
}: {
  insights: Pick<Insights, "sprint" | "by_product">;
  charts: { burndown: Chart | null; costs: readonly CostChart[]; cycleTimes: Chart | null };
  used: boolean;
  productId: string;
}) {
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      {charts.burndown && sprint ? (
        <Section title={`Burndown of ${sprint.code}`} about={sprint.sprint_goal}>
          <ChartFigure
            chart={charts.burndown}
            caption="The upper line is the scope. The dotted line is an even pace. Weekends are shaded."
          />
        </Section>
      ) : null}
      {charts.costs.length > 0 || used ? (
        <Section title="Cost per day" about="All jobs so far, by model.">
          <CostCharts charts={charts.costs} />
        </Section>
      ) : null}
      {charts.cycleTimes ? (
        <Section title="Cycle time" about="Time from start to done, last 90 days.">
          <ChartFigure
            chart={charts.cycleTimes}
            caption="Each dot is a task. The time axis uses a square-root scale."
          />
        </Section>
      ) : null}
      <ProductCosts products={products} current={productId} />
    </div>
  );
}

function ProductCosts({ products, current }: { products: Insights["by_product"]; current: string }) {
  if (products.length === 0) return null;
  return (
    <Section title="By product" about="Cost of all jobs so far.">
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

type CostChart = { chart: Chart; models: readonly { name: string; fill: string; cost: string }[] };

function CostCharts({ charts }: { charts: readonly CostChart[] }) {
  if (charts.length === 0) {
    return <p className="text-sm text-muted">Tokens were reported, but their models have no price yet.</p>;
  }
  return (
    <div className="grid gap-4">
      {charts.map(({ chart, models }) => (
        <div key={chart.label} className="grid gap-2">
          <ul aria-label="Models" className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
            {models.map(({ name, fill, cost }) => (
              <li key={name} className="flex items-center gap-1.5">
                <svg viewBox="0 0 10 10" className="size-2.5" aria-hidden="true">
                  <rect width="10" height="10" rx="2" className={fill} />
                </svg>
                <span className="text-muted">{name}</span> {cost}
              </li>
            ))}
          </ul>
          <ChartFigure chart={chart} />
        </div>
      ))}
    </div>
  );
}
