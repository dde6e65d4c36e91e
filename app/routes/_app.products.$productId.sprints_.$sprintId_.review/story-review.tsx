import { Link } from "@remix-run/react";
import { Badge, CodeChip } from "~/components/badge";
import { costsText, countText } from "~/components/numbers";
import { CriterionText } from "~/components/proof/criterion-text";
import { EvidenceList } from "~/components/proof/evidence-list";
import { criterionStates, grades } from "~/components/proof/proof-words";
import { visible } from "~/components/proof/visible";
import { StatusIcon } from "~/components/status-icon";
import { StatusPill } from "~/components/status-pill";
import type { ReviewedStory } from "~/contract/page-data";
import type { ProvenCriterion } from "~/contract/proof";
import { Changes } from "./changes";

/** One story on the page of the review: what was asked, what proves it, what it changed and cost. */
export function StoryReview({ story }: { story: ReviewedStory }) {
  const [done, all] = story.tasks;
  const pulls = [...new Set(story.jobs.flatMap(({ pr_url: url }) => (url ? [url] : [])))];
  return (
    <article
      aria-label={`${story.code} ${story.title}`}
      className="whole-on-paper min-w-0 rounded-lg border border-line bg-surface"
    >
      <header className="grid gap-1.5 px-4 py-3">
        <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-base font-semibold">
          <CodeChip>{story.code}</CodeChip>
          <Link to={`/stories/${story.id}`} className="min-w-0 break-words hover:underline">
            {visible(story.title)}
          </Link>
          <StatusPill status={story.status} />
          {story.left ? <Badge>No longer in this sprint</Badge> : null}
        </h3>
        <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
          <Told term="Tasks">
            {done} of {countText(all, "task")} done
          </Told>
          <Told term="Changes">
            <Changes jobs={story.jobs} />
          </Told>
          <Told term="Cost">{costsText(story.costs) ?? "no price known"}</Told>
          {story.assignee_name ? <Told term="Assigned to">{story.assignee_name}</Told> : null}
          {pulls.map((url) => (
            <Told key={url} term="Pull request">
              <a href={url} rel="noreferrer nofollow" className="text-accent underline">
                {url}
              </a>
            </Told>
          ))}
        </dl>
      </header>
      {story.criteria.length > 0 ? (
        <ul className="divide-y divide-line border-t border-line">
          {story.criteria.map((criterion) => (
            <Criterion key={criterion.id} criterion={criterion} />
          ))}
        </ul>
      ) : (
        <p className="border-t border-line px-4 py-2.5 text-sm text-muted">
          No acceptance criteria were written down.
        </p>
      )}
    </article>
  );
}

function Told({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div className="flex min-w-0 flex-wrap gap-x-1.5">
      <dt className="text-muted">{term}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

function Criterion({ criterion }: { criterion: ProvenCriterion }) {
  const { text, state, grade, kind, waiver, evidence } = criterion;
  const { label, tone } = criterionStates[state];
  const saw = grade !== null && (state === "proven" || state === "failed") ? grades[grade] : null;
  return (
    <li className="flex items-start gap-2.5 px-4 py-2.5">
      <StatusIcon tone={tone} className="mt-0.5 size-4 shrink-0" />
      <div className="grid min-w-0 grow gap-0.5">
        <p className="break-words text-sm">
          <CriterionText text={text} />
        </p>
        <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <span className="font-semibold">{label}</span>
          {saw ? <span>{saw}</span> : null}
          {kind === "definition_of_done" ? <Badge>Definition of done</Badge> : null}
        </p>
        {waiver ? (
          <p className="break-words text-xs text-muted">
            Waived by {waiver.waived_by}: {visible(waiver.reason)}
          </p>
        ) : (
          <EvidenceList evidence={evidence} />
        )}
      </div>
    </li>
  );
}
