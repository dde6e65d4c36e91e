import { memo } from "react";
import type { Doing } from "~/contract/events";
import { LineCounts } from "~/features/diff/line-counts";
import { firstLine } from "~/features/jobs/first-line";
import { LabelChips } from "~/features/labels/label-chips";
import { DoingLine } from "~/features/output/doing-line";
import { Badge } from "~/ui/badge";
import { Icon } from "~/ui/icon";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import { isHeld } from "~/ui/status";
import { StatusIcon } from "~/ui/status-icon";
import type { CardTask } from "./board-settings";
import { MoveButton, MoveForm } from "./move-menu";

interface TaskCardProps {
  task: CardTask;
  /** What its agent was heard to do since the page was read. */
  doing: Doing | undefined;
  draggable: boolean;
  changed: boolean;
  moving: boolean;
  /** It is selected. */
  marked: boolean;
  /** Its menu is open in the card: a page without script was asked for it. */
  asked: boolean;
  onMove: (task: Pick<CardTask, "id" | "code" | "status">, status: string) => void;
}

/** One task on a board: what it is, who works on it since when, and whether it waits on a person. */
export const TaskCard = memo(function TaskCard({
  task,
  doing,
  draggable,
  changed,
  moving,
  marked,
  asked,
  onMove,
}: TaskCardProps) {
  const { id, code, open_questions: questions } = task;
  const running = isHeld(task.job_status);
  return (
    <li
      data-drag={draggable || undefined}
      data-task={id}
      data-line={`task:${id}`}
      data-marked={marked || undefined}
      data-changed={changed || undefined}
      data-moving={moving || undefined}
      data-waiting={questions > 0 || undefined}
      className="card"
    >
      <div className="card-head">
        <span className="card-code" data-code data-toggle title="Select">
          {code}
        </span>
        <span className="card-story" data-part="story" title={task.story_title}>
          {task.story_code}
        </span>
        <MoveButton id={id} code={code} />
      </div>
      <a href={`/tasks/${id}`} data-row data-task-id={id} className="card-title">
        {marked ? <span className="sr-only">Selected: </span> : null}
        {task.title}
      </a>
      <LabelChips labels={task.labels} />
      {questions > 0 ? (
        <WaitingBadge>
          {questions === 1 ? "1 open question" : `${questions} open questions`}
        </WaitingBadge>
      ) : null}
      {running ? <RunningLine task={task} /> : null}
      {running ? (
        <p data-part="doing" className="line-clamp-2 text-xs">
          <DoingLine read={task.job_doing} live={doing} />
        </p>
      ) : null}
      <WaitingLine task={task} />
      {task.job_status === "queued" && task.waits_for.length === 0 ? (
        <QueuedLine phase={task.job_phase} />
      ) : null}
      {task.proof ? (
        <p data-part="proof" className="card-hint" title="Proven criteria of the story">
          Proof {task.proof[0]}/{task.proof[1]}
        </p>
      ) : null}
      {task.changes ? (
        <span data-part="lines" className="contents">
          <LineCounts additions={task.changes[0]} deletions={task.changes[1]} />
        </span>
      ) : null}
      {task.failure_reason ? (
        <p className="line-clamp-3 text-xs text-failed">{firstLine(task.failure_reason)}</p>
      ) : null}
      {!task.has_plan && task.status === "todo" ? (
        <p data-part="plan" className="card-hint">
          <Icon name="file-question-mark" className="size-3.5" />
          No plan yet
        </p>
      ) : null}
      {asked ? <MoveForm task={task} onMove={onMove} /> : null}
    </li>
  );
});

/** It stands still until a person comes. */
function WaitingBadge({ children }: { children: string }) {
  return (
    <Badge tone="waiting">
      <StatusIcon tone="waiting" className="size-3" />
      {children}
    </Badge>
  );
}

/** What a queued job waits for. */
function QueuedLine({ phase }: { phase: string | null }) {
  if (phase === "review") return <WaitingBadge>Needs review</WaitingBadge>;
  const who = phase === "verify" ? "Waiting for a second worker" : "Queued";
  return <p className="card-hint">{who}</p>;
}

/** Running looks different from standing still: pulse, how long, and when it was last heard of. */
function RunningLine({ task }: { task: CardTask }) {
  return (
    <p data-part="worker" className="flex flex-wrap items-center gap-x-1.5 text-xs text-progress">
      <span className="breathe size-2 rounded-full bg-progress" aria-hidden="true" />
      <span className="font-medium">{task.worker_name ?? "A worker"}</span>
      {task.job_started_at ? <Elapsed from={task.job_started_at} /> : <span>just claimed</span>}
      {task.job_seen_at ? (
        <span className="text-muted">
          · active <RelativeTime at={task.job_seen_at} />
        </span>
      ) : null}
    </p>
  );
}

/** What it waits for, and how many others wait for it. */
function WaitingLine({ task: { status, waits_for: waits, frees } }: { task: CardTask }) {
  const [first, ...others] = waits;
  if (status === "done" || (first === undefined && frees === 0)) return null;
  return (
    <p data-part="waits" className="text-xs text-muted">
      {first === undefined ? null : (
        <span title={`Blocked by ${waits.join(", ")}`}>
          Blocked by {first}
          {others.length > 0 ? ` and ${others.length} more` : ""}
        </span>
      )}
      {frees > 0 ? (first === undefined ? `Blocks ${frees}` : ` · blocks ${frees}`) : null}
    </p>
  );
}
