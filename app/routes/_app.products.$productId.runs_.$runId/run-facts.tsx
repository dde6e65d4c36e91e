import { Link } from "@remix-run/react";
import { AmountFields } from "~/features/budgets/amount-fields";
import { BudgetList } from "~/features/budgets/budget-list";
import { PullLink } from "~/features/jobs/job-badges";
import { tokensOf } from "~/features/jobs/job-card";
import { MergeLine } from "~/features/runs/start-run";
import { ActionForm } from "~/ui/action-form";
import { Alert } from "~/ui/alert";
import { Button } from "~/ui/button";
import { Fact, Facts, Section } from "~/ui/card";
import { HiddenFields } from "~/ui/field";
import { costsText, tokensText } from "~/ui/numbers";
import { durationText, Elapsed } from "~/ui/relative-time";
import { isHeld } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import type { BudgetList as Budgets } from "~/wire/budgets/contract";
import type { SprintRunDetail } from "~/wire/sprint-runs/contract";

/** Duration, cost and branch of a run. */
export function RunFacts({ run }: { run: SprintRunDetail }) {
  const { started_at, finished_at, executions, jobs } = run;
  const tokens = tokensOf(run);
  const atWork = jobs.filter(({ status }) => isHeld(status)).length;
  const landed = jobs.filter(({ merged_at }) => merged_at !== null).length;
  const parts = executions.length > 0 ? executions : jobs;
  const isMoving = finished_at === null && run.waits_for === null;
  const forecast = isMoving ? forecastMilliseconds(parts, atWork) : null;
  const term = finished_at === null ? "Started" : "Duration";
  return (
    <Facts>
      <Fact isKey term={started_at ? (isMoving ? "Running for" : term) : "Queued for"}>
        <Elapsed from={started_at ?? run.created_at} to={finished_at} />
        {term === "Started" && started_at && !isMoving ? <span> ago</span> : null}
      </Fact>
      {forecast !== null ? <Fact isKey term="Time left">{`about ${durationText(forecast)}`}</Fact> : null}
      <Fact isKey term="Tokens">
        {tokens > 0 ? tokensText(tokens) : "No data"}
      </Fact>
      <Fact isKey term="Cost">
        {costsText(run.costs) ?? "No data"}
      </Fact>
      {landed > 0 || jobs.some(({ pull }) => pull) ? (
        <Fact isKey term="Landed">{`${landed} of ${jobs.length}`}</Fact>
      ) : null}
      <Fact term="Branch">
        <code className="font-mono text-xs">{run.branch}</code>
      </Fact>
      <Fact term="Started by">{run.started_by_name}</Fact>
      {run.previous_run_id ? (
        <Fact term="Continues">
          <Link to={`../runs/${run.previous_run_id}`} className="text-accent underline">
            previous run
          </Link>
        </Fact>
      ) : null}
    </Facts>
  );
}

type TimedJob = { status: string; phase?: string; started_at: string | null; finished_at: string | null };

/** Estimates the remaining time from the finished jobs; null before the first one. */
function forecastMilliseconds(jobs: readonly TimedJob[], workersAtOnce: number): number | null {
  const taken: number[] = [];
  for (const job of jobs) {
    if (job.status === "done" && job.started_at && job.finished_at) {
      taken.push(Date.parse(job.finished_at) - Date.parse(job.started_at));
    }
  }
  if (taken.length === 0) return null;
  const left = jobs.filter(
    ({ status, phase }) => (status === "queued" && phase !== "review") || status === "claimed" || status === "running",
  ).length;
  const average = taken.reduce((sum, time) => sum + time, 0) / taken.length;
  return (left * average) / Math.max(1, workersAtOnce);
}

/** What an ended run has left to do for people: its branches, as far as no merge of them is known. */
export function Unmerged({ run }: { run: SprintRunDetail }) {
  const work = run.jobs.filter(
    ({ status, head_sha, merged_at }) => status === "done" && head_sha !== null && merged_at === null,
  );
  const branches = new Map(work.map(({ branch, pull }) => [branch, pull]));
  if (run.finished_at === null || branches.size === 0) return null;
  return (
    <Alert tone="waiting" title="Not on main yet">
      <ul className="grid gap-1">
        {[...branches].map(([branch, pull]) => (
          <li key={branch} className="flex flex-wrap items-center gap-x-2">
            <MergeLine branch={branch ?? run.branch} />
            {pull ? <PullLink pull={pull} /> : null}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

interface RunBudgetProps {
  runId: string;
  budgets: Budgets;
  /** Whether work may still happen: a finished run needs no new budget. */
  open: boolean;
}

/** Budget of a run. Renders nothing if none is set and the viewer may not set one. */
export function RunBudget({ runId, budgets: { budgets, may_set }, open }: RunBudgetProps) {
  const maySet = may_set && open;
  if (budgets.length === 0 && !maySet) return null;
  const own = budgets.some(({ scope }) => scope === "run");
  return (
    <Section
      title="Budget"
      about={
        budgets.length === 0
          ? "When this run reaches its budget, work pauses and you decide what happens next."
          : undefined
      }
    >
      <div className="grid gap-4">
        {budgets.length > 0 ? <BudgetList budgets={budgets} maySet={maySet} mostTasks={0} /> : null}
        {maySet ? (
          <details>
            <summary className="text-sm text-accent underline underline-offset-2 hover:decoration-2">
              {own ? "Add a budget in another currency or in tokens" : "Set a budget for this run"}
            </summary>
            <ActionForm className="mt-3">
              <WriteFields className="flex flex-wrap items-end gap-2">
                <HiddenFields fields={{ intent: "set-budget", scope: "run", target_id: runId }} />
                <AmountFields id="new-budget" />
                <Button type="submit">Set budget</Button>
              </WriteFields>
            </ActionForm>
          </details>
        ) : null}
      </div>
    </Section>
  );
}
