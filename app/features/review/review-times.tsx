import type { ReviewTimes } from "~/nouns/job-reviews/contract";
import { Fact, Facts } from "~/ui/card";
import { durationText } from "~/ui/relative-time";

/** How long finished work waited for people. Renders nothing before the first of them. */
export function ReviewTimesFacts({ times }: { times: ReviewTimes }) {
  if (times.first_look.jobs + times.verdict.jobs === 0) return null;
  return (
    <Facts>
      <Fact term="Done to first look">
        <Wait {...times.first_look} />
      </Fact>
      <Fact term="Done to verdict">
        <Wait {...times.verdict} />
      </Fact>
    </Facts>
  );
}

function Wait({ median_seconds: median, p90_seconds: most }: ReviewTimes["verdict"]) {
  if (median === null || most === null) return <>No data</>;
  return (
    <>
      {durationText(median * 1_000)} in the median, 90 % within {durationText(most * 1_000)}
    </>
  );
}
