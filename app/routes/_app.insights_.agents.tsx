import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { findAskedProduct, personLoader } from "~/http/page-guards.server";
import { getScoreboard } from "~/nouns/insights/operations.server";
import { fewest, type ScoreboardRow } from "~/nouns/insights/scoreboard";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { percentText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { Cell, numeric, Table } from "~/ui/table";
import { ProductFilter } from "./_app/palette/product-filter";

export const loader = personLoader(async (given) => {
  const productId = await findAskedProduct(given.request, given);
  const none: { rows: ScoreboardRow[] } = { rows: [] };
  const { rows } = productId === null ? none : await getScoreboard(given.actor, { product_id: productId });
  return json({ productId, rows });
});

export const meta: MetaFunction = () => [{ title: "Agents compared · Backloom" }];

export default function ScoreboardPage() {
  const { productId, rows } = useLoaderData<typeof loader>();
  const labels = [...new Set(rows.map(({ label }) => label))];
  return (
    <>
      <PageHeader
        title="Agents compared"
        lead={`Finished tasks of the last 180 days. Figures need at least ${fewest} tasks; rounds and minutes are medians. They choose no agent for you.`}
        crumbs={[{ label: "Insights", to: "/insights" }]}
        actions={productId === null ? null : <ProductFilter productId={productId} required />}
      />
      <div className="grid gap-5">
        {rows.length === 0 ? (
          <EmptyState title="No finished tasks yet">
            Agents and models appear here with their finished tasks.
          </EmptyState>
        ) : (
          labels.map((label) => (
            <Section key={label ?? ""} title={label ?? "All tasks"} flush>
              <Scores label={label} rows={rows.filter((row) => row.label === label)} />
            </Section>
          ))
        )}
      </div>
    </>
  );
}

function Scores({ label, rows }: { label: string | null; rows: readonly ScoreboardRow[] }) {
  return (
    <Table
      caption={label ?? "All tasks"}
      head={["Agent", ...numeric("Finished", "Right at once", "Rounds", "Minutes")]}
    >
      {rows.map((row) => (
        <tr key={`${row.agent} ${row.model}`}>
          <Cell>
            {row.agent ?? "Unknown agent"}
            <span className="block text-muted">{row.model ?? "unknown model"}</span>
          </Cell>
          <Cell numeric>{row.finished}</Cell>
          <Cell numeric>{shareText(row)}</Cell>
          <Cell numeric>{row.rounds ?? "–"}</Cell>
          <Cell numeric>{row.minutes ?? "–"}</Cell>
        </tr>
      ))}
    </Table>
  );
}

/** "82 % (66 to 91 %)". */
function shareText({ first_pass, interval }: ScoreboardRow): string {
  if (first_pass === null || interval === null) return "too few";
  const [low, high] = interval;
  return `${percentText(first_pass)} (${Math.round(low * 100)} to ${percentText(high)})`;
}
