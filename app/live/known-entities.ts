/** Entities of the product's channel that the pages understand. */
const known: ReadonlySet<string> = new Set([
  "pbi",
  "story",
  "task",
  "story_log",
  "sprint",
  "sprint_run",
  "task_execution",
  "job",
  "job_output",
  "worker",
  "evidence",
  "waiver",
  "question",
  "product",
  "member",
  "idea",
  "user_question",
]);

/** An entity that a newer server announces and this page does not know: everything is read again (Backlog stream). */
export function needsFullResync(entity: string): boolean {
  return !known.has(entity);
}
