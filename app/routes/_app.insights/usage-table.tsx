import { Link } from "@remix-run/react";
import type { UsageNumbers } from "~/contract/insight";
import { costsText, tokensText } from "~/ui/numbers";
import { Cell, Table } from "~/ui/rare/table";

export interface UsageRow extends UsageNumbers {
  key: string;
  label: string;
  to: string | null;
}

/** The same in every table of the page, so that one reads down across them. */
const usageColumns = ["", "w-20", "w-32", "w-32", "w-32", "w-44"];

/** Tokens and money of one kind of thing; folded away when it is long. */
export function UsageTable({ title, rows }: { title: string; rows: readonly UsageRow[] }) {
  if (rows.length === 0) return null;
  return (
    <details open={rows.length <= 8} className="rounded-lg border border-line bg-surface">
      <summary className="px-4 py-2.5 text-sm font-semibold hover:bg-sunken">
        {title} <span className="font-normal text-muted">({rows.length})</span>
      </summary>
      <div className="border-t border-line">
        <Table
          caption={title}
          columns={usageColumns}
          head={[
            "Name",
            { label: "Jobs", numeric: true },
            { label: "Input", numeric: true },
            { label: "Cached", numeric: true },
            { label: "Output", numeric: true },
            { label: "Cost", numeric: true },
          ]}
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
              <Cell numeric>{costText(row)}</Cell>
            </tr>
          ))}
        </Table>
      </div>
    </details>
  );
}

/** What is not known is not zero; an estimate says so. */
function costText({ costs, estimated }: UsageNumbers): string {
  const text = costsText(costs);
  if (text === null) return "Unknown";
  return estimated ? `${text} (estimated)` : text;
}
