import { Link } from "@remix-run/react";
import { CriterionText } from "~/features/proof/criterion";
import { visible } from "~/features/proof/visible";
import { CodeChip } from "~/ui/badge";
import { Section } from "~/ui/card";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status";
import type { SprintReview } from "~/wire/sprints/contract";

type Reviewed = Omit<SprintReview, "burndown">;

/** What the sprint leaves unfinished, with links. */
export function OpenEnds({ review }: { review: Reviewed }) {
  const { sprint, stories, questions, failed_jobs: failed, waivers, runs } = review;
  const unfinished = stories.filter(({ status }) => status !== "done");
  const nothing = unfinished.length + questions.length + failed.length + waivers.length === 0;
  return (
    <>
      <Section title="Unfinished">
        <div className="grid gap-4">
          {nothing ? <p className="text-sm text-muted">Nothing is unfinished.</p> : null}
          <List title="Unfinished stories" rows={unfinished}>
            {({ id, code, title, status }) => (
              <Row key={id} code={code} to={`/stories/${id}`} label={title}>
                <StatusPill status={status} />
              </Row>
            )}
          </List>
          <List title="Open questions" rows={questions}>
            {({ id, story_code: code, story_id: story, question }) => (
              <Row key={id} code={code} to={`/stories/${story}`} label={question} />
            )}
          </List>
          <List title="Failed work" rows={failed}>
            {({ id, task_code: code, task_title: title, reason }) => (
              <Row key={id} code={code} to={`/jobs/${id}`} label={title}>
                {reason ? <span className="text-failed">{visible(reason)}</span> : null}
              </Row>
            )}
          </List>
          <List title="Waived criteria" rows={waivers}>
            {({ story_id: story, story_code: code, criterion, text, reason, ...waived }) => (
              <Row
                key={`${story} ${criterion}`}
                code={code}
                to={`/stories/${story}#proof`}
                label={<CriterionText text={text} />}
              >
                <span className="text-muted">
                  Waived by {waived.waived_by} <RelativeTime at={waived.created_at} />: {visible(reason)}
                </span>
              </Row>
            )}
          </List>
        </div>
      </Section>
      <MorePages sprint={sprint} runs={runs} />
    </>
  );
}

function MorePages({ sprint, runs }: Pick<Reviewed, "sprint" | "runs">) {
  const product = `/products/${sprint.product_id}`;
  return (
    <nav aria-label="Related pages" className="print:hidden">
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <li>
          <PageLink to={`${product}/sprints/${sprint.id}`}>Board</PageLink>
        </li>
        {runs.map(({ id, status, created_at: at }) => (
          <li key={id}>
            <PageLink to={`${product}/runs/${id}`}>
              Run, {status}, <RelativeTime at={at} />
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function List<Kind>({
  title,
  rows,
  children,
}: {
  title: string;
  rows: readonly Kind[];
  children: (row: Kind) => React.ReactNode;
}) {
  if (rows.length === 0) return null;
  return (
    <section aria-label={title} className="whole-on-paper grid gap-1.5">
      <h3 className="text-sm font-semibold">
        {title} ({rows.length})
      </h3>
      <ul className="grid gap-1.5">{rows.map(children)}</ul>
    </section>
  );
}

type RowProps = { code: string; to: string; label: React.ReactNode; children?: React.ReactNode };

function Row({ code, to, label, children }: RowProps) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5 text-sm">
      <CodeChip>{code}</CodeChip>
      <Link to={to} className="min-w-0 break-words hover:underline">
        {typeof label === "string" ? visible(label) : label}
      </Link>
      {children}
    </li>
  );
}

function PageLink({ to, children }: { to: string; children: React.ReactNode }) {
  return (
    <Link to={to} className="text-accent underline underline-offset-2">
      {children}
    </Link>
  );
}
