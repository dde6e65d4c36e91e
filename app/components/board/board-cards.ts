import type { BoardTask } from "~/contract/page-data";

type Always = "id" | "code" | "title" | "story_code" | "story_title" | "status";

/** What a card shows of a task; what is not so is left out. */
export type CardTask = Pick<BoardTask, Always> & {
  [Name in Exclude<keyof BoardTask, Always>]?: BoardTask[Name];
} & {
  /** The lane in which it stands, when the board is grouped. */
  group?: string | undefined;
};

/** The cards of a board as the page needs them: without what no card shows and without what is not so. */
export function boardCards(
  tasks: readonly BoardTask[],
  groups?: ReadonlyMap<string, string | undefined>,
): CardTask[] {
  return tasks.map((task) => ({
    id: task.id,
    code: task.code,
    title: task.title,
    story_code: task.story_code,
    story_title: task.story_title,
    status: task.status,
    group: groups?.get(task.id),
    has_plan: task.has_plan || undefined,
    job_status: task.job_status ?? undefined,
    job_phase: task.job_phase === "implement" ? undefined : (task.job_phase ?? undefined),
    job_started_at: task.job_started_at ?? undefined,
    job_seen_at: task.job_seen_at ?? undefined,
    job_doing: task.job_doing ?? undefined,
    worker_name: task.worker_name ?? undefined,
    failure_reason: task.failure_reason ?? undefined,
    open_questions: task.open_questions || undefined,
    proof: task.proof ?? undefined,
    changes: task.changes ?? undefined,
    waits_for: task.waits_for.length > 0 ? task.waits_for : undefined,
    frees: task.frees || undefined,
  }));
}
