import { Link } from "@remix-run/react";

/** The parts of a story that no one has judged, each on its own. */
export function TaskFilter({
  tasks,
  taskId,
}: {
  tasks: readonly { id: string; code: string; isJudged: boolean }[];
  taskId: string | null;
}) {
  const look =
    "text-muted hover:underline aria-[current=page]:font-medium aria-[current=page]:text-ink";
  return (
    <nav aria-label="Changes of" className="flex flex-wrap gap-x-3 gap-y-1">
      <Link to="?" aria-current={taskId === null ? "page" : undefined} className={look}>
        All tasks
      </Link>
      {tasks
        .filter(({ isJudged }) => !isJudged)
        .map(({ id, code }) => (
          <Link
            key={id}
            to={`?task=${id}`}
            aria-current={taskId === id ? "page" : undefined}
            className={look}
          >
            {code}
          </Link>
        ))}
    </nav>
  );
}
