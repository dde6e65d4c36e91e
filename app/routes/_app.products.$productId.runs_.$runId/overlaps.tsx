import { Link } from "@remix-run/react";
import { Fragment } from "react";
import type { SprintRunDetail } from "~/contract/sprint-run";
import { Notice } from "~/ui/notice";

/** Tasks that change the same file while they are at work: nothing is wrong yet, but they will meet. */
export function Overlaps({ overlaps }: Pick<SprintRunDetail, "overlaps">) {
  if (overlaps.length === 0) return null;
  return (
    <Notice tone="waiting" title="Some tasks change the same files">
      <ul className="grid gap-1">
        {overlaps.map(({ tasks, files, files_total }) => (
          <li key={tasks.map(({ id }) => id).join(" ")}>
            {tasks.map(({ id, code }, index) => (
              <Fragment key={id}>
                {index > 0 ? " and " : null}
                <Link to={`/tasks/${id}`} className="underline">
                  {code}
                </Link>
              </Fragment>
            ))}
            : <span className="font-mono text-xs break-all">{files.join(", ")}</span>
            {files_total > files.length ? ` and ${files_total - files.length} more` : null}
          </li>
        ))}
      </ul>
      <p className="text-muted">The task that finishes last merges both changes.</p>
    </Notice>
  );
}
