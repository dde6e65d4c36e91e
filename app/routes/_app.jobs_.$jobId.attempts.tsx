import { Link } from "@remix-run/react";
import { attemptName, ConfinementBadge } from "~/features/jobs/job-badges";
import { tokensOf } from "~/features/jobs/job-card";
import { CodeChip } from "~/ui/badge";
import { Fact, Facts, Section } from "~/ui/card";
import { costsText, tokensText } from "~/ui/numbers";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import type { AgentJobDetail } from "~/wire/agent-jobs/contract";
import { useJob } from "./_app.jobs_.$jobId/job-data";

/** All attempts, newest first: worker, outcome, duration, usage and commit. */
export default function JobAttempts() {
  const { attempts } = useJob();
  if (attempts.length === 0) {
    return <p className="text-sm text-muted">No worker has taken this job yet.</p>;
  }
  return (
    <div className="grid gap-4">
      {attempts.toReversed().map((attempt) => (
        <AttemptFacts key={attempt.attempt} attempt={attempt} />
      ))}
    </div>
  );
}

function AttemptFacts({ attempt }: { attempt: AgentJobDetail["attempts"][number] }) {
  const tokens = tokensOf(attempt.usage);
  return (
    <Section
      title={attemptName(attempt)}
      actions={
        <>
          <ConfinementBadge confinement={attempt.confinement} />
          <Link to={`..?attempt=${attempt.attempt}`} relative="path" className="text-sm text-accent underline">
            Output
          </Link>
        </>
      }
    >
      <Facts>
        {attempt.agent ? <Fact term="Agent">{attempt.agent}</Fact> : null}
        <Fact term="Worker">{attempt.worker_name}</Fact>
        <Fact term="Started">
          <RelativeTime at={attempt.started_at} />
        </Fact>
        <Fact term="Duration">
          <Elapsed from={attempt.started_at} to={attempt.ended_at} />
        </Fact>
        {tokens > 0 ? <Fact term="Tokens">{tokensText(tokens)}</Fact> : null}
        {attempt.usage.costs.length > 0 ? <Fact term="Cost">{costsText(attempt.usage.costs)}</Fact> : null}
        {attempt.head_sha ? (
          <Fact term="Commit">
            <CodeChip>{attempt.head_sha.slice(0, 10)}</CodeChip>
          </Fact>
        ) : null}
        {attempt.references.length > 0 ? (
          <Fact term="Could read">
            <CodeChip className="wrap-anywhere whitespace-normal">
              {attempt.references.map(({ name, sha }) => `${name} ${sha.slice(0, 10)}`).join(", ")}
            </CodeChip>
          </Fact>
        ) : null}
        {attempt.kept_ref ? (
          <Fact term="Saved on branch">
            <CodeChip className="wrap-anywhere whitespace-normal">{attempt.kept_ref}</CodeChip>
          </Fact>
        ) : null}
      </Facts>
    </Section>
  );
}
