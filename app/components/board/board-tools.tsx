import { Link, useSubmit } from "@remix-run/react";
import { type ComponentProps, type FormEvent, useRef, useState } from "react";
import { ServerText } from "~/components/server-text";
import { useEarlierChoices } from "~/components/use-earlier-choices";
import { useWithDrawing } from "~/components/use-with-drawing";
import { SavedViews } from "~/components/views/saved-views";

/** The tools of a board as the server wrote them; with script they apply while one types. */
export function BoardTools({
  tools,
  views,
  hidden,
  showAll,
}: {
  tools: string;
  /** Where looks are kept under a name. */
  views?: ComponentProps<typeof SavedViews>;
  /** How many a filter hides; null without a filter. */
  hidden: number | null;
  showAll: string;
}) {
  const submit = useSubmit();
  const area = useRef<HTMLDivElement>(null);
  useEarlierChoices(area);
  const [written, setWritten] = useState(tools);
  useWithDrawing(() => {
    // What is being typed is the person's, not that of the next answer.
    if (!area.current?.contains(document.activeElement)) setWritten(tools);
  }, [tools]);
  const apply = ({ target }: FormEvent<HTMLElement>) => {
    const form = target instanceof Element ? target.closest("form") : null;
    if (form) submit(form, { replace: true, preventScrollReset: true });
  };
  return (
    <div className="-mb-2 flex flex-wrap items-center gap-2">
      <div ref={area} onInput={apply} className="contents">
        <ServerText className="contents" html={written} />
      </div>
      {views ? <SavedViews {...views} /> : null}
      {hidden === null ? null : (
        <span className="flex items-center gap-2 text-sm text-muted">
          <span role="status">{`${hidden} hidden by the filter.`}</span>
          <Link
            to={showAll}
            preventScrollReset
            className="text-accent underline underline-offset-2 hover:decoration-2"
          >
            Show all
          </Link>
        </span>
      )}
    </div>
  );
}
