import type { SprintReview } from "~/contract/sprint-review";
import { Button } from "~/ui/button";
import { PageHeader } from "~/ui/page-header";
import { CalendarDay } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status-pill";
import { useHydrated } from "~/ui/use-hydrated";

export function ReviewHeader({ review }: { review: Pick<SprintReview, "sprint" | "product"> }) {
  const { sprint, product } = review;
  const hydrated = useHydrated();
  const home = `/products/${sprint.product_id}/sprints`;
  return (
    <PageHeader
      crumbs={[
        { label: "Sprints", to: home },
        { label: sprint.code, to: `${home}/${sprint.id}` },
      ]}
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          Review of {sprint.code}
          <StatusPill status={sprint.status} />
        </span>
      }
      lead={
        <span>
          {product.name}
          {sprint.start_date ? (
            <>
              , from <CalendarDay day={sprint.start_date} />
            </>
          ) : null}
          {sprint.end_date ? (
            <>
              {sprint.start_date ? " to " : ", until "}
              <CalendarDay day={sprint.end_date} />
            </>
          ) : null}
        </span>
      }
      actions={
        hydrated ? (
          <span className="print:hidden">
            <Button onClick={() => window.print()}>Print</Button>
          </span>
        ) : null
      }
    />
  );
}
