import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { amountText, moneyText, percentText, tokensText } from "~/ui/numbers";
import { Cell, numeric, Table } from "~/ui/table";
import type { Cost, CostRow, CostsAnswer } from "~/wire/insights/contract";

const groupNames = { agent: "Agent", label: "Label", month: "Month" };
const field = "h-8 rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10";

/** What accepted changes cost with all that was tried for them, and of which days. */
export function AcceptedCosts({ costs, productId }: { costs: CostsAnswer; productId: string }) {
  const { rows, total, from, to, by } = costs;
  return (
    <Section
      title="Cost per accepted change"
      about="Of settled stories that were begun in these days, so less than all jobs cost: all attempts, divided by those that a person approved, that landed and were not undone within 14 days. CI, machines and people's time are not in it."
      actions={
        <Form className="flex flex-wrap items-center gap-2" key={`${from} ${to} ${by}`} preventScrollReset>
          <input type="hidden" name="product" value={productId} />
          <input type="date" name="from" aria-label="First attempt from" defaultValue={from} className={field} />
          <input type="date" name="to" aria-label="First attempt to" defaultValue={to} className={field} />
          <select name="by" aria-label="Rows" defaultValue={by} className={field}>
            {Object.keys(groupNames).map((group) => (
              <option key={group} value={group}>
                By {group}
              </option>
            ))}
          </select>
          <Button type="submit">Show</Button>
        </Form>
      }
      flush
    >
      {rows.length === 0 ? (
        <p className="px-4 py-3 text-sm text-muted">No story that an agent began in these days is settled yet.</p>
      ) : (
        <Table
          caption="Cost per accepted change"
          head={[
            groupNames[by],
            ...numeric("Settled", "Accepted", "Per accepted", "Usually", "Cost", "Not accepted", "Rounds"),
          ]}
        >
          {rows.map((row) => (
            <tr key={`${row.key} ${row.model} ${row.currency}`}>
              <Cell className="min-w-44">
                {nameOf(row, by)}
                <span className="block text-muted">
                  {[row.model, row.currency ?? "without a price"].filter(Boolean).join(" · ")}
                </span>
              </Cell>
              <Numbers cost={row} />
            </tr>
          ))}
          {total.map((cost) => (
            <tr key={cost.currency} className="font-semibold">
              <Cell>Total{cost.currency ? ` in ${cost.currency}` : " without a price"}</Cell>
              <Numbers cost={cost} />
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

function nameOf({ key }: CostRow, by: CostsAnswer["by"]): string {
  return key ?? (by === "label" ? "No label" : "Unknown agent");
}

/** Without a currency, which is a subscription or a model without a price, amounts are tokens. */
function Numbers({ cost }: { cost: Cost }) {
  const { currency, settled, accepted, accepted_so_far, rounds, not_accepted_share } = cost;
  const amount = (value: number | null) => (value === null ? "–" : amountText(value, currency ?? "tokens"));
  return (
    <>
      <Cell numeric>{settled}</Cell>
      <Cell numeric>
        {accepted}
        {accepted_so_far > 0 ? <span className="block font-normal text-muted">{accepted_so_far} so far</span> : null}
      </Cell>
      <Cell numeric>{cost.too_few ? (accepted === 0 ? "–" : `too few (${accepted})`) : amount(cost.per_accepted)}</Cell>
      <Cell numeric>
        {cost.median === null ? "–" : amount(cost.median)}
        {cost.median === null ? null : (
          <span className="block font-normal text-muted">
            {amount(cost.low)} to {amount(cost.high)}
          </span>
        )}
      </Cell>
      <Cell numeric>
        {cost.estimated ? "~" : ""}
        {cost.cost === null || currency === null ? tokensText(cost.tokens) : moneyText(cost.cost, currency)}
      </Cell>
      <Cell numeric>{not_accepted_share === null ? "–" : percentText(not_accepted_share)}</Cell>
      <Cell numeric>{rounds ?? "–"}</Cell>
    </>
  );
}
