import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Assignment } from "./assignment";
import { describeWork } from "./describe-work";

/** The files that a command is handed, and where it may leave its result. */
export interface ContextFiles {
  context: string;
  prompt: string;
  result: string;
  /** Which process works on it. */
  pid: string;
}

/** Writes the context as JSON for programs and as text for models, outside of the worktree. */
export async function writeContextFiles(
  folder: string,
  assignment: Assignment,
): Promise<ContextFiles> {
  await mkdir(folder, { recursive: true });
  const files = {
    context: join(folder, "context.json"),
    prompt: join(folder, "prompt.md"),
    result: join(folder, "result.json"),
    pid: join(folder, "command.pid"),
  };
  await writeFile(files.context, `${JSON.stringify(assignment, null, 2)}\n`);
  await writeFile(files.prompt, describeWork(assignment));
  return files;
}

/** The same in the environment; the worker's own token is not among it. */
export function environmentOf(
  { job, taskCode, storyCode, title }: Assignment,
  files: ContextFiles,
  extra: Record<string, string>,
): Record<string, string> {
  return {
    BACKLOOM_JOB_ID: job.id,
    BACKLOOM_JOB_KIND: job.kind,
    BACKLOOM_ATTEMPT: String(job.attempt),
    BACKLOOM_PRODUCT_CODE: job.product.code,
    BACKLOOM_STORY_CODE: storyCode ?? "",
    BACKLOOM_TASK_CODE: taskCode ?? "",
    BACKLOOM_TITLE: title,
    BACKLOOM_BRANCH: job.branch ?? "",
    BACKLOOM_CONTEXT_FILE: files.context,
    BACKLOOM_PROMPT_FILE: files.prompt,
    BACKLOOM_RESULT_FILE: files.result,
    ...extra,
  };
}
