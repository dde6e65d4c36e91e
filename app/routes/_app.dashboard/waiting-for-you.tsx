import { Link } from "@remix-run/react";
import type { DashboardData } from "~/nouns/pages/dashboard";
import { CodeChip } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { RelativeTime } from "~/ui/relative-time";
import { StatusDot } from "~/ui/status";

/** The page's only prominent box: questions and reviews that need a person. */
export function WaitingForYou({
  questions,
  reviews,
}: Pick<DashboardData, "questions" | "reviews">) {
  if (questions.length === 0 && reviews.length === 0) return null;
  return (
    <section
      aria-label="Waiting for you"
      className="rounded-lg border border-waiting/50 bg-waiting-soft p-4"
    >
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 className="text-base font-semibold text-waiting">Waiting for you</h2>
        <ButtonLink to="/inbox" size="sm">
          Open inbox
        </ButtonLink>
      </div>
      <ul className="grid gap-2.5 sm:gap-1.5">
        {questions.map((question) => (
          <li
            key={question.id}
            className="flex flex-wrap items-baseline gap-x-2 text-sm sm:flex-nowrap"
          >
            <StatusDot status="WAITING" className="translate-y-0.5" />
            <Link
              to={`/inbox?show=questions#question-${question.id}`}
              data-row
              className="line-clamp-2 min-w-0 flex-1 hover:underline sm:line-clamp-1"
            >
              {question.question}
            </Link>
            <span className="shrink-0 text-xs text-muted max-sm:w-full max-sm:pl-5.5">
              {question.product_name} · <RelativeTime at={question.created_at} />
            </span>
          </li>
        ))}
        {reviews.map((task) => (
          <li
            key={task.id}
            className="flex flex-wrap items-baseline gap-x-2 text-sm sm:flex-nowrap"
          >
            <StatusDot status="REVIEW" className="translate-y-0.5" />
            <CodeChip>{task.code}</CodeChip>
            <Link
              to={`/tasks/${task.id}`}
              data-row
              className="line-clamp-2 min-w-0 flex-1 hover:underline sm:line-clamp-1"
            >
              {task.title}
            </Link>
            <span className="shrink-0 text-xs text-muted max-sm:w-full max-sm:pl-5.5">
              in review · {task.product_name} · <RelativeTime at={task.changed_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
