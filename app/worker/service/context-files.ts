import { lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contextFolder } from "../git/worktree";
import type { Assignment } from "../job/assignment";
import {
  describeContinuation,
  describePlanning,
  describeVerification,
  describeWork,
} from "../job/describe-work";

/** The files that a command is handed, and where it may leave its result. */
export interface ContextFiles {
  context: string;
  prompt: string;
  /** The words for an agent that has begun this work already. */
  continuation: string;
  result: string;
  /** Where a command finds what people write to it, a line of JSON each. */
  messages: string;
  /** Which process works on it. */
  pid: string;
}

/**
 * Writes the context as JSON for programs and as text for models into the worktree. The note about the process stays outside
 * of it.
 */
export async function writeContextFiles(
  worktree: string,
  notes: string,
  assignment: Assignment,
): Promise<ContextFiles> {
  const folder = join(worktree, contextFolder);
  await emptyFolder(folder);
  await mkdir(notes, { recursive: true });
  const files = {
    context: join(folder, "context.json"),
    prompt: join(folder, "prompt.md"),
    continuation: join(folder, "continue.md"),
    result: join(folder, "result.json"),
    messages: join(folder, "messages.jsonl"),
    pid: join(notes, "command.pid"),
  };
  await writeFile(files.context, `${JSON.stringify(assignment, null, 2)}\n`);
  const [begin, continueWith] = wordsFor(assignment);
  await writeFile(files.prompt, begin(assignment));
  await writeFile(files.continuation, continueWith(assignment));
  return files;
}

/** The words for who begins, and for who goes on in the conversation. */
function wordsFor({ job, planning }: Assignment) {
  if (job.phase === "verify") return [describeVerification, describeVerification] as const;
  if (planning) return [describePlanning, describePlanning] as const;
  return [describeWork, describeContinuation] as const;
}

/** A checkout to read in takes no new entries: the folder stays, unless the repository has a link or a file of its name. */
async function emptyFolder(folder: string): Promise<void> {
  const isFolder = await lstat(folder)
    .then((found) => found.isDirectory())
    .catch(() => false);
  if (!isFolder) {
    await rm(folder, { force: true });
    await mkdir(folder, { recursive: true });
  }
  for (const entry of await readdir(folder)) {
    await rm(join(folder, entry), { recursive: true, force: true });
  }
}

/** The same in the environment; the worker's own token is not among it. */
export function environmentOf(
  { job, taskCode, storyCode, title, verifyOnly, requiresOpus }: Assignment,
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
    BACKLOOM_VERIFY_ONLY: verifyOnly ? "1" : "",
    BACKLOOM_REQUIRES_OPUS: requiresOpus ? "1" : "",
    BACKLOOM_CONTEXT_FILE: files.context,
    BACKLOOM_PROMPT_FILE: files.prompt,
    BACKLOOM_RESULT_FILE: files.result,
    ...extra,
  };
}
