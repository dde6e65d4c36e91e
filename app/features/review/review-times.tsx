import { Fact, Facts, Section } from "~/ui/card";
import { durationText } from "~/ui/relative-time";
import type { ReviewTimes } from "~/wire/reviews/contract";

const isEmpty = ({ first_look, verdict }: ReviewTimes) => first_look.jobs + verdict.jobs === 0;

export function ReviewTimesSection({ times }: { times: ReviewTimes }) {
  if (isEmpty(times)) return null;
  return (
    <Section title="Reviews" about="How long finished work waited for people.">
      <ReviewTimesFacts times={times} />
    </Section>
  );
}

/** How long finished work waited for people. Renders nothing before the first of them. */
export function ReviewTimesFacts({ times }: { times: ReviewTimes }) {
  if (isEmpty(times)) return null;
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
      median {durationText(median * 1_000)}, 90&nbsp;% within {durationText(most * 1_000)}
    </>
  );
}
