import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { JobFacts } from "~/features/jobs/job-card";
import { BeforeAfter, picturesOf } from "~/features/proof/before-after";
import { CriterionHead, CriterionText, EvidenceList } from "~/features/proof/criterion";
import { standing } from "~/features/proof/proof-labels";
import { visible } from "~/features/proof/visible";
import { CheckField } from "~/ui/field";
import { Fold } from "~/ui/fold";
import { countText } from "~/ui/numbers";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import type { Evidence, ProvenCriterion } from "~/wire/proof/contract";

/** What the agent says of its work, doubts included, what the check found, and what it took. */
export function AgentSays({ job, children }: { job: AgentJob; children?: ReactNode }) {
  return (
    <div className="grid gap-3 text-sm">
      {job.summary ? (
        <p className="break-words whitespace-pre-wrap">{visible(job.summary)}</p>
      ) : (
        <p className="text-muted">The agent wrote no summary.</p>
      )}
      {children}
      <JobFacts job={job} />
    </div>
  );
}

/** The product and the story that a job is of. */
export function JobPosition({ job }: { job: AgentJob }) {
  return (
    <p className="text-xs text-muted">
      {job.product_code}
      {job.story_id ? (
        <>
          {" · "}
          <Link to={`/stories/${job.story_id}`} className="underline">
            {job.story_code} <bdi>{job.story_title}</bdi>
          </Link>
        </>
      ) : null}
    </p>
  );
}

/** How the agent explains its part of a story, whose files are in the order of the tasks. */
export function GuideSummary({ chapters }: { chapters: readonly { title: string; why: string }[] | null }) {
  if (chapters === null || chapters.length === 0) return null;
  return (
    <dl aria-label="Guide" className="grid gap-1">
      {chapters.map(({ title, why }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: chapters have no other name and keep their order
        <div key={index} className="break-words">
          <dt className="font-medium">
            <bdi>{visible(title)}</bdi>
          </dt>
          {why ? <dd className="whitespace-pre-wrap text-muted">{visible(why)}</dd> : null}
        </div>
      ))}
    </dl>
  );
}

export const isMet = ({ state }: ProvenCriterion): boolean => state === "proven" || state === "waived";

/** How many criteria are proven, and whether all of that is one command. */
export function provenText(criteria: readonly ProvenCriterion[]): string {
  const met = criteria.filter(isMet);
  const counts = met.flatMap(({ evidence }) =>
    evidence.filter(
      ({ verdict, stale, voided_by, passed_before }) =>
        verdict === "pass" && !stale && voided_by === null && !passed_before,
    ),
  );
  const [command, ...others] = new Set(counts.map((each) => each.command));
  const isOne = met.length > 1 && command != null && others.length === 0;
  return `${met.length} of ${countText(criteria.length, "criterion", "criteria")} proven${isOne ? ", by one command" : ""}`;
}

/** The same behind one line, where a chapter is about it. */
export function CriterionFold({ criterion }: { criterion: ProvenCriterion }) {
  return (
    <Fold
      label={
        <span className={isMet(criterion) ? "" : "font-medium text-waiting"}>
          {isMet(criterion) ? "Proven" : "Not proven"}: <CriterionText text={criterion.text} />
        </span>
      }
    >
      <CriterionProof criterion={criterion} />
    </Fold>
  );
}

/** A criterion with the test that failed before, what it looks like, and all evidence. */
export function CriterionProof({ criterion }: { criterion: ProvenCriterion }) {
  const { evidence } = criterion;
  const pictures = picturesOf(evidence);
  const test = evidence.find(isRedThenGreen);
  return (
    <div className="grid gap-2">
      <CriterionHead criterion={criterion}>
        {test ? (
          <p className="text-xs">
            Failed before the work, passes now:{" "}
            <code className="font-mono wrap-anywhere">{visible(test.command ?? "")}</code>
          </p>
        ) : null}
      </CriterionHead>
      {pictures.length > 0 ? <BeforeAfter pictures={pictures} /> : null}
      {evidence.length > 0 ? (
        <details className="pl-6">
          <summary className="cursor-pointer text-xs text-muted">Evidence ({evidence.length})</summary>
          <EvidenceList evidence={evidence} />
        </details>
      ) : null}
    </div>
  );
}

function isRedThenGreen(evidence: Evidence): boolean {
  const { exit_code, base_exit_code, stale, voided_by, verdict } = evidence;
  const failedBefore = base_exit_code !== null && base_exit_code !== 0;
  return verdict === "pass" && exit_code === 0 && failedBefore && !stale && voided_by === null;
}

/** What *Approve* says next to itself: what a person has confirmed or waived is settled. */
export function confirmWords(criteria: readonly ProvenCriterion[]): string {
  const proven = criteria.filter(({ state, grade }) => state === "proven" && grade !== "person").length;
  return proven === 0
    ? "Approving confirms no criteria."
    : `Approving confirms ${countText(proven, "proven criterion", "proven criteria")}.`;
}

/** An approval confirms what is not proven only where the person ticks it. */
export function UnprovenTicks({ criteria }: { criteria: readonly ProvenCriterion[] }) {
  const unproven = criteria.filter((criterion) => !isMet(criterion));
  if (unproven.length === 0) return null;
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 text-sm text-muted">Not proven. Tick what you have checked, to confirm it too.</legend>
      {unproven.map((criterion) => (
        <CheckField
          key={criterion.id}
          name="confirm"
          value={criterion.id}
          label={<CriterionText text={criterion.text} />}
          description={standing(criterion).label}
        />
      ))}
    </fieldset>
  );
}
