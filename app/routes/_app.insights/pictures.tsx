import { Link } from "@remix-run/react";
import { Section } from "~/components/card";
import type { Chart } from "~/components/charts/chart";
import { ChartFigure } from "~/components/charts/chart-figure";
import { costsText } from "~/components/numbers";
import type { Insights } from "~/contract/insight";
import { type CostChart, CostCharts } from "./cost-charts";

/** How the sprint goes, what days cost, how long tasks take, and what each product costs. */
export function Pictures({
  insights: { sprint, by_product: products },
  charts,
  used,
  productId,
}: {
  insights: Pick<Insights, "sprint" | "by_product">;
  charts: { burndown: Chart | null; costs: readonly CostChart[]; cycleTimes: Chart | null };
  /** Whether any job has reported tokens. */
  used: boolean;
  productId: string;
}) {
  return (
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
      <ProductCosts products={products} current={productId} />
    </div>
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
