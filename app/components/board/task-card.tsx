import { Link } from "@remix-run/react";
import clsx from "clsx";
import { FileQuestion } from "lucide-react";
import { Badge, CodeChip } from "~/components/badge";
import { Elapsed, RelativeTime } from "~/components/relative-time";
import { StatusIcon } from "~/components/status-icon";
import { useWriteAccess } from "~/components/write-access";
import type { BoardTask } from "~/contract/page-data";
import { MoveMenu } from "./move-menu";

interface TaskCardProps {
  task: BoardTask;
  changed: boolean;
  moving: boolean;
  onMove: (task: BoardTask, status: string) => void;
}

/** One task on a board: what it is, who works on it since when, and whether it waits on a person. */
export function TaskCard({ task, changed, moving, onMove }: TaskCardProps) {
  const { canWrite } = useWriteAccess();
  const running = task.job_status === "running" || task.job_status === "claimed";
  return (
    <li
      draggable={canWrite}
      data-task={task.id}
      data-changed={changed || undefined}
      onDragStart={(event) => {
        event.dataTransfer.setData("text/x-backloom-task", task.id);
        event.dataTransfer.effectAllowed = "move";
      }}
      className={clsx(
        "group grid gap-1.5 rounded-md border bg-raised p-2.5 transition-colors",
        task.open_questions > 0 ? "border-waiting" : "border-line",
        moving && "outline-2 outline-offset-1 outline-accent",
        canWrite && "cursor-grab active:cursor-grabbing",
      )}
    >
      <div className="flex items-center gap-2">
        <CodeChip>{task.code}</CodeChip>
        <span className="min-w-0 flex-1 truncate text-2xs text-faint" title={task.story_title}>
          {task.story_code}
        </span>
        <MoveMenu task={task} onMove={onMove} />
      </div>
      <Link
        to={`/tasks/${task.id}`}
        data-row
        data-task-id={task.id}
        draggable={false}
        className="text-sm leading-snug font-medium hover:underline"
      >
        {task.title}
      </Link>
      {task.open_questions > 0 ? (
        <Badge tone="waiting">
          <StatusIcon tone="waiting" className="size-3" />
          {task.open_questions === 1 ? "A question waits" : `${task.open_questions} questions wait`}
        </Badge>
      ) : null}
      {running ? <RunningLine task={task} /> : null}
      {task.job_status === "queued" ? (
        <p className="text-xs text-muted">Queued for a worker</p>
      ) : null}
      {task.failure_reason ? (
        <p className="line-clamp-3 text-xs text-failed">{task.failure_reason}</p>
      ) : null}
      {!task.has_plan && task.status === "todo" ? (
        <p className="flex items-center gap-1 text-xs text-muted">
          <FileQuestion className="size-3.5" aria-hidden="true" />
          No plan yet
        </p>
      ) : null}
    </li>
  );
}

/** Running looks different from standing still: pulse, how long, and when it was last heard of. */
function RunningLine({ task }: { task: BoardTask }) {
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-xs text-progress">
      <span className="breathe size-2 rounded-full bg-progress" aria-hidden="true" />
      <span className="font-medium">{task.worker_name ?? "A worker"}</span>
      {task.job_started_at ? <Elapsed from={task.job_started_at} /> : <span>just claimed it</span>}
      {task.job_seen_at ? (
        <span className="text-muted">
          · heard <RelativeTime at={task.job_seen_at} />
        </span>
      ) : null}
    </p>
  );
}
