import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { Fragment, type ReactNode } from "react";
import { drawBurndown } from "~/features/charts/draw-burndown.server";
import { drawCosts } from "~/features/charts/draw-costs.server";
import { drawCycleTimes } from "~/features/charts/draw-cycle-times.server";
import { ReviewTimesSection } from "~/features/review/review-times";
import { findAskedProduct, personLoader } from "~/http/page-guards.server";
import { getForecastQuality } from "~/nouns/forecasts/operations.server";
import { getCosts, getInsights } from "~/nouns/insights/operations.server";
import { ButtonLink } from "~/ui/button";
import { Fact, Facts, Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { costsText, countText, percentText, tokensText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { durationText } from "~/ui/relative-time";
import { Cell, numeric, Table } from "~/ui/table";
import { costsQuery, type Insights, type ReturnKind, type UsageNumbers } from "~/wire/insights/contract";
import { ProductFilter } from "../_app/palette/product-filter";
import { AcceptedCosts } from "./accepted-costs";
import { Estimates } from "./estimates";
import { Forecasts } from "./forecasts";
import { Pictures } from "./pictures";
import { CostliestStories, UsageTables } from "./usage-tables";

export const loader = personLoader(async ({ actor, principal, request }) => {
  const productId = await findAskedProduct(request, { actor, principal });
  if (productId === null) return json({ productId, insights: null });
  const asked = costsQuery.safeParse(Object.fromEntries(new URL(request.url).searchParams));
  // More than one call: only the costs are of the days and rows in the address, and how good forecasts were is for people only.
  const [{ burndown, by_day, by_day_model, cycle_times, forecast, ...insights }, costs, quality] = await Promise.all([
    getInsights(actor, { product_id: productId }),
    getCosts(actor, { ...asked.data, product_id: productId }),
    getForecastQuality(actor, { product_id: productId }),
  ]);
  return json({
    productId,
    costs,
    mayPrice: principal.role === "ADMIN",
    insights,
    forecast,
    quality,
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
        <PageHeader title="Insights" lead="Progress and cost of your products." />
        <EmptyState
          title="No product yet"
          action={
            <ButtonLink to="/products/new" tone="primary" data-create>
              Create a product
            </ButtonLink>
          }
        >
          Create a product to see its burndown, tokens and cost.
        </EmptyState>
      </>
    );
  }
  const { productId, mayPrice, costs, insights, forecast, quality, charts, used } = data;
  const isUsed = insights.totals.jobs > 0;
  const hasEstimates = !forecast.estimate.too_few || forecast.estimates.length > 0;
  return (
    <>
      <PageHeader
        title="Insights"
        lead="Progress and cost of your products."
        actions={
          <>
            <ButtonLink to={`/insights/agents?product=${productId}`}>Compare agents</ButtonLink>
            <ProductFilter productId={productId} required />
          </>
        }
      />
      <div className="grid gap-5">
        {isUsed ? <Totals totals={insights.totals} mayPrice={mayPrice} /> : null}
        {isUsed ? <AcceptedCosts costs={costs} productId={productId} /> : null}
        <Pictures insights={insights} charts={charts} used={used} productId={productId} />
        <CostliestStories stories={insights.by_story} />
        <ReviewTimesSection times={insights.review_times} />
        <Landing landing={insights.landing} />
        {hasEstimates ? <Estimates forecast={forecast} /> : null}
        <Forecasts quality={quality} />
        {isUsed ? <UsageTables insights={insights} productId={productId} mayPrice={mayPrice} /> : null}
        <StillToCome
          parts={[
            charts.burndown ? null : ["Burndown", "when the sprint is active and its first task moves"],
            charts.costs.length > 0 || used ? null : ["Cost and tokens", "when a job reports its tokens"],
            charts.cycleTimes ? null : ["Cycle time", "after three finished tasks"],
            hasEstimates ? null : ["Estimate", `after eight finished tasks, ${forecast.estimate.of} so far`],
          ]}
        >
          {isUsed ? null : <ButtonLink to={`/products/${productId}/backlog`}>Run a story</ButtonLink>}
        </StillToCome>
      </div>
    </>
  );
}

function Totals({ totals, mayPrice }: { totals: UsageNumbers; mayPrice: boolean }) {
  const read = totals.input_tokens + totals.cache_read_tokens + totals.cache_write_tokens;
  const cached = read === 0 ? null : totals.cache_read_tokens / read;
  return (
    <Facts>
      <Fact isKey term="Cost of all jobs so far">
        {costsText(totals.costs) ?? "Unknown"}
      </Fact>
      <Fact isKey term="Jobs">
        {countText(totals.jobs, "job")}
      </Fact>
      <Fact isKey term="Input">
        {tokensText(read)}
        {cached === null ? null : (
          <span className="block text-xs font-normal text-muted">{percentText(cached)} cached</span>
        )}
      </Fact>
      <Fact isKey term="Output">
        {tokensText(totals.output_tokens)}
      </Fact>
      {totals.unpriced_jobs > 0 ? (
        <Fact isKey term="No price known">
          {countText(totals.unpriced_jobs, "job")}
          {mayPrice ? (
            <>
              {" · "}
              <Link to="/admin/prices" className="text-accent underline underline-offset-2">
                Set prices
              </Link>
            </>
          ) : null}
        </Fact>
      ) : null}
    </Facts>
  );
}

/** What has no data yet, when it comes, and the one step to it: in one place instead of empty charts. */
type Coming = readonly [part: string, when: string] | null;

function StillToCome({ parts, children }: { parts: readonly Coming[]; children: ReactNode }) {
  const coming = parts.filter((part) => part !== null);
  if (coming.length === 0) return null;
  return (
    <Section title="Still to come" actions={children}>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1 text-sm">
        {coming.map(([part, when]) => (
          <Fragment key={part}>
            <dt className="font-medium">{part}</dt>
            <dd className="text-muted">{when}</dd>
          </Fragment>
        ))}
      </dl>
    </Section>
  );
}

const reasons: Record<ReturnKind, string> = {
  ci_failed: "CI failed",
  changes_requested: "Changes requested",
  review_comment: "Review comment",
  conflict: "Conflict in a pull request",
  closed: "Pull request closed",
  landing_conflict: "Conflict in the merge queue",
  landing_test_failed: "Tests failed in the merge queue",
  landing_refused: "Could not be landed",
};

/** Time from done to the main branch, and what sent work back. Renders nothing without data. */
function Landing({ landing }: Pick<Insights, "landing">) {
  const { landed, median_seconds, longest_seconds, returns } = landing;
  if (landed === 0 && returns.length === 0) return null;
  return (
    <Section title="Landing" about="Time from done to merged, and why work was sent back, last 90 days.">
      <div className="grid gap-4 text-sm">
        {landed > 0 ? (
          <Facts>
            <Fact isKey term="Landed">
              {countText(landed, "job")}
            </Fact>
            <Fact isKey term="Median time to land">
              {timeText(median_seconds)}
            </Fact>
            <Fact isKey term="Longest">
              {timeText(longest_seconds)}
            </Fact>
          </Facts>
        ) : null}
        {returns.length > 0 ? (
          <Table caption="What sent work back" head={["Reason", ...numeric("Back to its agent", "Asked a person")]}>
            {returns.map(({ kind, returned, asked }) => (
              <tr key={kind}>
                <Cell>{reasons[kind]}</Cell>
                <Cell numeric>{returned}</Cell>
                <Cell numeric>{asked}</Cell>
              </tr>
            ))}
          </Table>
        ) : null}
      </div>
    </Section>
  );
}

const timeText = (seconds: number | null) => durationText((seconds ?? 0) * 1_000);
