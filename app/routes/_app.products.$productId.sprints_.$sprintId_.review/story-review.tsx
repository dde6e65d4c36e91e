import { Link } from "@remix-run/react";
import type { ReviewedStory } from "~/contract/sprint-review";
import { CriterionHead } from "~/features/proof/criterion-head";
import { EvidenceList } from "~/features/proof/evidence-list";
import { visible } from "~/features/proof/visible";
import { Badge, CodeChip } from "~/ui/badge";
import { costsText, countText } from "~/ui/numbers";
import { StatusPill } from "~/ui/status-pill";
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
          <Told term="Cost">{costsText(story.costs) ?? "No data"}</Told>
          {story.assignee_name ? <Told term="Assignee">{story.assignee_name}</Told> : null}
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
            <li key={criterion.id} className="px-4 py-2.5">
              <CriterionHead criterion={criterion}>
                {criterion.waiver ? null : <EvidenceList evidence={criterion.evidence} />}
              </CriterionHead>
            </li>
          ))}
        </ul>
      ) : (
        <p className="border-t border-line px-4 py-2.5 text-sm text-muted">
          No acceptance criteria.
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
