import { Link, useSubmit } from "@remix-run/react";
import { type FormEvent, useState } from "react";
import { ServerText } from "~/components/server-text";

/** The tools of a board as the server wrote them; with script they apply while one types. */
export function BoardTools({
  tools,
  hidden,
  showAll,
}: {
  tools: string;
  /** How many a filter hides; null without a filter. */
  hidden: number | null;
  showAll: string;
}) {
  const submit = useSubmit();
  // What is being typed is the person's, not that of the next answer.
  const [written] = useState(tools);
  const apply = ({ target }: FormEvent<HTMLElement>) => {
    const form = target instanceof Element ? target.closest("form") : null;
    if (form) submit(form, { replace: true, preventScrollReset: true });
  };
  return (
    <div onInput={apply} className="-mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
      <ServerText className="contents" html={written} />
      {hidden === null ? null : (
        <span className="flex items-center gap-2 text-sm text-muted">
          <span role="status">{`${hidden} hidden by the filter.`}</span>
          <Link
            to={showAll}
            preventScrollReset
            onClick={clear}
            className="text-accent underline underline-offset-2 hover:decoration-2"
          >
            Show all
          </Link>
        </span>
      )}
    </div>
  );
}

function clear() {
  const field = document.querySelector<HTMLInputElement>("input[data-filter]");
  if (field) field.value = "";
}
