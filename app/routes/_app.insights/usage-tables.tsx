import { Link } from "@remix-run/react";
import { CodeChip } from "~/ui/badge";
import { Section } from "~/ui/card";
import { FoldedTable } from "~/ui/fold";
import { isolated } from "~/ui/isolated";
import { costsText, tokensText } from "~/ui/numbers";
import { Cell, numeric, Table } from "~/ui/table";
import type { Insights, UsageNumbers } from "~/wire/insights/contract";

/** Id and label of a row, and the path of its page, if there is one. */
type Name = readonly [id: string | null, label: string, path?: string];

function named<Row>(rows: readonly Row[], nameOf: (row: Row) => Name) {
  return rows.map((row) => {
    const [id, label, path] = nameOf(row);
    return { ...row, key: id ?? "", label, to: id && path ? path + id : null };
  });
}

/** The most expensive stories. */
export function CostliestStories({ stories }: { stories: Insights["by_story"] }) {
  const shown = stories.filter(({ story_id, costs }) => story_id && costs.length > 0);
  if (shown.length === 0) return null;
  return (
    <Section title="Most expensive stories">
      <ol className="grid gap-1 text-sm">
        {shown.slice(0, 5).map(({ story_id, story_code, story_title, costs }) => (
          <li key={story_id} className="flex items-baseline justify-between gap-4">
            <Link to={`/stories/${story_id}`} className="min-w-0 truncate hover:underline">
              <CodeChip className="mr-2">{story_code ?? ""}</CodeChip>
              {story_title}
            </Link>
            <span className="shrink-0 tabular-nums">{costsText(costs)}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Usage by model, sprint and story, in a folded table each. */
export function UsageTables({
  insights: { by_model, by_sprint, by_story },
  productId,
  mayPrice,
}: {
  insights: Pick<Insights, "by_model" | "by_sprint" | "by_story">;
  productId: string;
  /** Administrators set prices, so they get a link to set missing ones. */
  mayPrice: boolean;
}) {
  const product = `/products/${productId}`;
  return (
    <Section title="Usage in detail" about="Jobs, tokens and cost." flush>
      <UsageTable
        title="By model"
        rows={named(by_model, (row) => [row.model_id, row.model_id ?? "unknown model"])}
        priceOf={({ key }) => (mayPrice && key !== "" ? `/admin/prices?model=${encodeURIComponent(key)}` : null)}
      />
      <UsageTable
        title="By sprint"
        rows={named(by_sprint, (row) => [row.sprint_id, row.sprint_code ?? "no sprint", `${product}/sprints/`])}
      />
      <UsageTable
        title="By story"
        rows={named(by_story, ({ story_id, story_code, story_title }) => [
          story_id,
          story_code ? `${story_code} ${isolated(story_title ?? "")}` : "no story",
          "/stories/",
        ])}
      />
    </Section>
  );
}

type UsageRow = UsageNumbers & { key: string; label: string; to: string | null };
type UsageTableProps = { title: string; rows: readonly UsageRow[]; priceOf?: (row: UsageRow) => string | null };

/** The same widths in all tables, so that columns align down the page. */
const usageColumns = ["", "w-20", "w-32", "w-32", "w-32", "w-44"];

function UsageTable({ title, rows, priceOf }: UsageTableProps) {
  if (rows.length === 0) return null;
  return (
    <FoldedTable
      className="border-line not-first:border-t"
      summary={
        <summary className="px-4 py-2.5 text-sm font-semibold hover:bg-sunken">
          {title} <span className="font-normal text-muted">({rows.length})</span>
        </summary>
      }
    >
      {() => (
        <div className="border-t border-line">
          <Table
            caption={title}
            columns={usageColumns}
            head={["Name", ...numeric("Jobs", "Input", "Cached", "Output", "Cost")]}
          >
            {rows.map((row) => (
              <tr key={row.key}>
                <Cell>
                  {row.to ? (
                    <Link to={row.to} className="hover:underline">
                      {row.label}
                    </Link>
                  ) : (
                    row.label
                  )}
                </Cell>
                <Cell numeric>{row.jobs}</Cell>
                <Cell numeric>{tokensText(row.input_tokens + row.cache_write_tokens)}</Cell>
                <Cell numeric>{tokensText(row.cache_read_tokens)}</Cell>
                <Cell numeric>{tokensText(row.output_tokens)}</Cell>
                <Cell numeric>
                  <Cost row={row} priceAt={priceOf?.(row) ?? null} />
                </Cell>
              </tr>
            ))}
          </Table>
        </div>
      )}
    </FoldedTable>
  );
}

/** Unknown costs are not shown as zero, and estimates are marked. */
function Cost({ row, priceAt }: { row: UsageRow; priceAt: string | null }) {
  const text = costsText(row.costs);
  if (text !== null) return row.estimated ? `${text} (estimated)` : text;
  if (!priceAt) return "No price known";
  return (
    <Link to={priceAt} className="text-accent underline underline-offset-2">
      No price known
    </Link>
  );
}
