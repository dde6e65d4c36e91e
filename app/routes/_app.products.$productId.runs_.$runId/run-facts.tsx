import { Link } from "@remix-run/react";
import { Fact, Facts } from "~/components/card";
import { forecastMilliseconds } from "~/components/forecast";
import { tokensOf } from "~/components/jobs/job-card";
import { costsText, tokensText } from "~/components/numbers";
import { durationText, Elapsed } from "~/components/relative-time";
import { isHeld } from "~/components/status";
import type { SprintRunDetail } from "~/contract/sprint-run";

/** How long a run takes, what it cost, and where its work is. */
export function RunFacts({ run }: { run: SprintRunDetail }) {
  const { started_at, finished_at, executions, jobs } = run;
  const tokens = tokensOf(run);
  const atWork = jobs.filter(({ status }) => isHeld(status)).length;
  const parts = executions.length > 0 ? executions : jobs;
  const forecast = finished_at === null ? forecastMilliseconds(parts, atWork) : null;
  const term = finished_at === null ? "Running for" : "Took";
  return (
    <Facts>
      <Fact term={started_at ? term : "Waiting for"}>
        <Elapsed from={started_at ?? run.created_at} to={finished_at} />
      </Fact>
      {forecast !== null ? (
        <Fact term="Rest, at this pace">about {durationText(forecast)}</Fact>
      ) : null}
      <Fact term="Tokens">{tokens > 0 ? tokensText(tokens) : "none told yet"}</Fact>
      <Fact term="Cost">{costsText(run.costs) ?? "no price known"}</Fact>
      <Fact term="Branch">
        <code className="font-mono text-xs">{run.branch}</code>
      </Fact>
      <Fact term="Started by">{run.started_by_name}</Fact>
      {run.previous_run_id ? (
        <Fact term="Continues">
          <Link to={`../runs/${run.previous_run_id}`} className="text-accent underline">
            the run before
          </Link>
        </Fact>
      ) : null}
    </Facts>
  );
}
