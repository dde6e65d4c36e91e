import { useSearchParams } from "@remix-run/react";
import { memo, useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { LineCounts } from "~/features/diff/line-counts";
import { useSelected } from "~/features/items/selection";
import { useRefusals } from "~/features/items/use-changes";
import { PullLink } from "~/features/jobs/job-badges";
import { LabelChips } from "~/features/labels/label-chips";
import { DoingLine } from "~/features/output/doing-line";
import { useDoing } from "~/live/use-live-stream";
import { Avatar } from "~/ui/avatar";
import { Badge } from "~/ui/badge";
import { LiveText } from "~/ui/live-text";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import { isHeld, StatusIcon } from "~/ui/status";
import { useWriteAccess } from "~/ui/write-access";
import type { Doing } from "~/wire/events";
import { stateLine } from "../items/state-line";
import type { CardTask, DropTarget } from "./board-settings";
import { MoveButton, MoveForm } from "./move-menu";

interface TaskCardProps {
  task: CardTask;
  /** The agent's latest activity since the page loaded. */
  doing: Doing | undefined;
  draggable: boolean;
  changed: boolean;
  moving: boolean;
  marked: boolean;
  refusal: string | undefined;
  /** Whether its menu is open in the card (pages without JavaScript). */
  isMenuOpen: boolean;
  onMove: (task: Pick<CardTask, "id" | "code" | "status">, status: string) => void;
}

/** One task on a board: title and who, then code, proof and diff. A third line only for what runs or waits. */
const TaskCard = memo(function TaskCard({
  task,
  doing,
  draggable,
  changed,
  moving,
  marked,
  refusal,
  isMenuOpen,
  onMove,
}: TaskCardProps) {
  const { id, code, open_questions: questions } = task;
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
        <a href={`/tasks/${id}`} data-row data-task-id={id} className="card-title">
          {marked ? <span className="sr-only">Selected: </span> : null}
          <LiveText>{task.title}</LiveText>
        </a>
        <Faces task={task} />
        <MoveButton id={id} code={code} />
      </div>
      <div className="card-facts">
        <span className="card-code" data-code data-toggle title="Select">
          {code}
        </span>
        {task.proof && (task.proof[0] > 0 || task.status !== "done") ? <ProofRing proof={task.proof} /> : null}
        {task.changes ? (
          <span data-part="lines">
            <LineCounts additions={task.changes[0]} deletions={task.changes[1]} />
          </span>
        ) : null}
        <State task={task} />
        {task.status !== "done" && task.frees > 0 ? <span data-part="waits">{`Blocks ${task.frees}`}</span> : null}
        {task.pull ? (
          <span data-part="pull">
            <PullLink pull={task.pull} />
          </span>
        ) : null}
        <TryLink task={task} canStart={draggable} />
        <span className="card-story" data-part="story" title={task.story_title}>
          {task.story_code}
        </span>
        <LabelChips labels={task.labels} />
      </div>
      {refusal ? <p className="text-xs text-failed">{`Not saved: ${refusal}`}</p> : null}
      <Waiting task={task} />
      <Running task={task} doing={doing} />
      {isMenuOpen ? <MoveForm task={task} onMove={onMove} /> : null}
    </li>
  );
});

function Faces({ task: { assignee_name: assignee, holder_name: holder, worker_name: worker } }: { task: CardTask }) {
  return (
    <span className="card-faces">
      {assignee ? <Avatar size="sm" name={assignee} label={`Assigned to ${assignee}`} /> : null}
      {holder ? <Avatar size="sm" name={holder} label={`${holder} has it`} /> : null}
      {worker && !holder ? (
        <span data-part="worker">
          <Avatar size="sm" agent name={worker} label={`Work of ${worker}`} />
        </span>
      ) : null}
    </span>
  );
}

/** How much of the story the task's work proves. */
function ProofRing({ proof: [proven, all] }: { proof: readonly [number, number] }) {
  const circle = { cx: 8, cy: 8, r: 6, fill: "none", strokeWidth: 3 };
  return (
    <span data-part="proof" className="card-proof" title="Criteria of the story that this task proves">
      <svg viewBox="0 0 16 16" role="img" aria-label={`Proof ${proven}/${all}`} className="size-3.5 -rotate-90">
        <circle {...circle} className="stroke-line" />
        {proven > 0 ? (
          <circle {...circle} pathLength={all} strokeDasharray={`${proven} ${all}`} className="stroke-done" />
        ) : null}
      </svg>
      <span aria-hidden="true">{`${proven}/${all}`}</span>
    </span>
  );
}

/** The way into the changed application. Until it runs, a press starts it (`item-keys`). */
function TryLink({ task: { id, code, job_id, preview }, canStart }: { task: CardTask; canStart: boolean }) {
  if (!preview || !(preview.url || canStart)) return null;
  const { url, head_sha, is_old } = preview;
  const [to, tab] = url ? [url, "_blank"] : [`/tasks/${id}`];
  return (
    <span data-part="preview" className="text-accent [&>a]:underline">
      <a href={to} target={tab} rel="noreferrer" data-try={url ? undefined : job_id} aria-label={`Try it: ${code}`}>
        Try it
      </a>
      {` ${head_sha.slice(0, 8)}${is_old ? ", old" : ""}`}
    </span>
  );
}

function State({ task }: { task: CardTask }) {
  const state = stateLine(task);
  if (!state) return null;
  const { kind, text } = state;
  if (kind === "held" || kind === "queued") return <span>{text}</span>;
  // The column of review already says it.
  if (kind === "review") return task.status === "review" ? null : <span className="text-review">{text}</span>;
  if (kind === "unplanned") {
    return (
      <span data-part="plan">
        <LiveText>{text}</LiveText>
      </span>
    );
  }
  if (kind !== "blocked") return null;
  return (
    <span data-part="waits" title={`Blocked by ${task.waits_for.join(", ")}`}>
      {text}
    </span>
  );
}

function Waiting({ task }: { task: CardTask }) {
  const state = stateLine(task);
  if (state?.kind === "failed") return <p className="line-clamp-3 text-xs text-failed">{state.text}</p>;
  const asks = state?.kind === "question" || (state?.kind === "running" && task.open_questions > 0);
  return asks ? <WaitingBadge>{state.text}</WaitingBadge> : null;
}

function Running({ task, doing }: Pick<TaskCardProps, "task" | "doing">) {
  if (stateLine(task)?.kind !== "running") return null;
  return (
    <>
      <RunningLine task={task} />
      <p data-part="doing" className="line-clamp-2 text-xs">
        <DoingLine read={task.job_doing} live={doing} />
      </p>
    </>
  );
}

function WaitingBadge({ children }: { children: string }) {
  return (
    <Badge tone="waiting">
      <StatusIcon tone="waiting" className="size-3" />
      <LiveText>{children}</LiveText>
    </Badge>
  );
}

/** Distinguishes running from stuck: a pulse, the elapsed time, and when the worker was last active. */
function RunningLine({ task }: { task: CardTask }) {
  return (
    <p data-part="worker" className="flex flex-wrap items-center gap-x-1.5 text-xs text-progress">
      <span className="breathe size-2 rounded-full bg-progress" aria-hidden="true" />
      <span className="font-medium">{task.worker_name ?? "A worker"}</span>
      {task.fallback_agent ? (
        <span>{[task.fallback_agent, task.agent_before].filter(Boolean).join(", after ")}</span>
      ) : null}
      {task.job_started_at ? <Elapsed from={task.job_started_at} /> : <span>just claimed</span>}
      {task.job_seen_at ? (
        <span className="text-muted">
          · active <RelativeTime at={task.job_seen_at} />
        </span>
      ) : null}
    </p>
  );
}

/** Returns a function that renders a card with its local state: agent activity, recent change, selection, move. */
export function useCards(
  productId: string,
  tasks: readonly CardTask[],
  dropTarget: DropTarget | null,
  onMove: (task: Pick<CardTask, "id" | "code" | "status">, status: string) => void,
) {
  const selected = useSelected();
  const refusals = useRefusals();
  const changed = useChangedTasks(tasks);
  const isAnyHeld = tasks.some(({ job_status }) => isHeld(job_status));
  const doing = useDoing(productId, isAnyHeld);
  const [params] = useSearchParams();
  const { canWrite } = useWriteAccess();
  const isMenuOpen = useHydrated() ? null : params.get("move");
  return (task: CardTask) => (
    <TaskCard
      key={task.id}
      task={task}
      doing={doing.get(task.id)}
      draggable={canWrite}
      isMenuOpen={isMenuOpen === task.id}
      changed={changed.has(task.id)}
      moving={dropTarget?.moving === task.id}
      marked={selected.has(`task:${task.id}`)}
      refusal={refusals.get(`task:${task.id}`)}
      onMove={onMove}
    />
  );
}

const nothing: ReadonlySet<string> = new Set();

/** Returns the tasks whose state changed since the last render, for a short highlight. */
function useChangedTasks(tasks: readonly CardTask[]): ReadonlySet<string> {
  const before = useRef<Map<string, string> | null>(null);
  const [changed, setChanged] = useState<ReadonlySet<string>>(nothing);
  useEffect(() => {
    const now = new Map(tasks.map((task) => [task.id, `${task.status} ${task.job_status}`]));
    const known = before.current;
    before.current = now;
    if (!known) return;
    const different = [...now].filter(([id, state]) => known.get(id) !== state).map(([id]) => id);
    if (different.length === 0) return;
    setChanged(new Set(different));
    const timer = setTimeout(() => setChanged(nothing), 1600);
    return () => clearTimeout(timer);
  }, [tasks]);
  return changed;
}
