import type { Insights, ReturnKind } from "~/nouns/insights/contract";
import { Fact, Facts, Section } from "~/ui/card";
import { countText } from "~/ui/numbers";
import { durationText } from "~/ui/relative-time";
import { Cell, Table } from "~/ui/table";

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
export function Landing({ landing }: Pick<Insights, "landing">) {
  const { landed, median_seconds, longest_seconds, returns } = landing;
  if (landed === 0 && returns.length === 0) return null;
  return (
    <Section
      title="Landing"
      about="Time from done to merged, and why work was sent back, last 90 days."
    >
      <div className="grid gap-4 text-sm">
        {landed > 0 ? (
          <Facts>
            <Fact term="Landed">{countText(landed, "job")}</Fact>
            <Fact term="Median time to land">{timeText(median_seconds)}</Fact>
            <Fact term="Longest">{timeText(longest_seconds)}</Fact>
          </Facts>
        ) : null}
        {returns.length > 0 ? (
          <Table
            caption="What sent work back"
            head={[
              "Reason",
              { label: "Back to its agent", numeric: true },
              { label: "Asked a person", numeric: true },
            ]}
          >
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

function timeText(seconds: number | null): string {
  return durationText((seconds ?? 0) * 1_000);
}
