import { moneyText } from "~/ui/numbers";
import { calendarText } from "~/ui/relative-time";
import type { Insights } from "~/wire/insights/contract";
import { box, type Chart, daysBelow, daysUntil, round, shape, texts } from "./chart";

const width = 560;
const height = 180;
const bottom = 22;
const top = 18;
const fills = ["fill-accent", "fill-progress", "fill-review", "fill-done", "fill-line-strong"];

export type CostChart = { chart: Chart; models: readonly { name: string; fill: string; cost: string }[] };

/** Draws one bar per day, stacked by model, in a shape per model. One chart per currency, because currencies are never added. */
export function drawCosts(rows: Insights["by_day_model"]): CostChart[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort();
  return currencies.map((currency) =>
    drawCurrency(
      currency,
      rows.filter((row) => row.currency === currency),
    ),
  );
}

function drawCurrency(currency: string, all: Insights["by_day_model"]): CostChart {
  const days = daysUntil(all.at(-1)?.date ?? "", all[0]?.date ?? "", 120);
  const rows = all.filter(({ date }) => days.includes(date));
  const models = modelsOf(rows);
  const parts = days.map((date) =>
    models.map(({ ids }) => sum(rows.filter((row) => row.date === date && ids.has(row.model_id)))),
  );
  const totals = parts.map((part) => part.reduce((all, cost) => all + cost, 0));
  const most = Math.max(...totals, 0.000001);
  const slot = (width - 8) / days.length;
  const bar = round(Math.min(48, slot * 0.7));
  const tall = (cost: number) => (cost / most) * (height - top - bottom);
  const bars = models.map((_, model) => {
    const boxes = parts.map((part, index) => {
      const cost = part[model] ?? 0;
      if (cost === 0) return "";
      const y = height - bottom - tall(part.slice(0, model + 1).reduce((all, below) => all + below, 0));
      return box(4 + index * slot + (slot - bar) / 2, y, bar, Math.max(tall(cost), 1));
    });
    return shape(boxes.join(""), fills[model] ?? "");
  });
  return {
    models: models.map(({ name, cost }, index) => ({
      name,
      fill: fills[index] ?? "",
      cost: moneyText(cost, currency),
    })),
    chart: {
      width,
      height,
      shapes: [shape(`M4 ${height - bottom}H${width - 4}`, "stroke-line"), ...bars],
      texts: [texts(4, 11, moneyText(most, currency)), ...daysBelow(days, 4, width - 4, height - 5)],
      label: `Cost per day, ${moneyText(sum(rows), currency)} in total.`,
      facts: [],
      stops: days.map((day, index) => ({
        x: round(4 + (index + 0.5) * slot),
        text: `${calendarText(day)}: ${moneyText(totals[index] ?? 0, currency)}`,
      })),
      table: {
        head: ["Day", ...models.map(({ name }) => name), "Total"],
        rows: days.map((day, index) => [
          calendarText(day),
          ...(parts[index] ?? []).map((cost) => moneyText(cost, currency)),
          moneyText(totals[index] ?? 0, currency),
        ]),
      },
    },
  };
}

/** Each model gets its own color; if there are too many, the cheapest share the last one. */
function modelsOf(rows: Insights["by_day_model"]) {
  const ids = [...new Set(rows.map(({ model_id }) => model_id))];
  const costs = ids
    .map((id) => ({ id, cost: sum(rows.filter((row) => row.model_id === id)) }))
    .sort((one, other) => other.cost - one.cost);
  const named = costs.length > fills.length ? costs.slice(0, fills.length - 1) : costs;
  const rest = costs.slice(named.length);
  const models = named.map(({ id, cost }) => ({ name: id ?? "unknown model", ids: new Set([id]), cost }));
  if (rest.length > 0) {
    models.push({ name: `${rest.length} others`, ids: new Set(rest.map(({ id }) => id)), cost: sum(rest) });
  }
  return models;
}

const sum = (rows: readonly { cost: number }[]) => rows.reduce((all, { cost }) => all + cost, 0);
