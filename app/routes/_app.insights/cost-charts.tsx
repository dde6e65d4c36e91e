import type { Chart } from "~/components/charts/chart";
import { ChartFigure } from "~/components/charts/chart-figure";

export interface CostChart {
  chart: Chart;
  models: readonly { name: string; fill: string; cost: string }[];
}

/** One chart a currency, each with its models. */
export function CostCharts({ charts, used }: { charts: readonly CostChart[]; used: boolean }) {
  if (charts.length === 0) {
    return (
      <p className="text-sm text-muted">
        {used
          ? "Tokens were reported, and none of their models has a price yet."
          : "The first bar appears when a job reports its tokens."}
      </p>
    );
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
