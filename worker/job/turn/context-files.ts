import { lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contextFolder } from "../../git/worktree";
import type { Assignment } from "./assignment";
import {
  describeContinuation,
  describePlanning,
  describeVerification,
  describeWork,
  type Reader,
} from "./describe-work";

/** Files given to a command, and where it writes its result. */
export interface ContextFiles {
  context: string;
  prompt: string;
  continuation: string;
  result: string;
  /** People's messages to the command, as JSON lines. */
  messages: string;
  pid: string;
}

/** Writes the context (JSON for programs, text for models) into the worktree. The process note stays outside of it. */
export async function writeContextFiles(
  worktree: string,
  notes: string,
  assignment: Assignment,
  reader: Reader,
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
  const [begin, continueWith] = textsFor(assignment);
  await writeFile(files.prompt, begin(assignment, reader));
  await writeFile(files.continuation, continueWith(assignment, reader));
  return files;
}

function textsFor({ job, planning }: Assignment) {
  if (job.phase === "verify") return [describeVerification, describeVerification] as const;
  if (planning) return [describePlanning, describePlanning] as const;
  return [describeWork, describeContinuation] as const;
}

/** Not recreated, as a read-only checkout takes no new entries. Replaces a link or file of that name. */
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

/** The context as environment variables, without the worker's token. */
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
