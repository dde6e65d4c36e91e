import { stat } from "node:fs/promises";
import type { Attempt } from "../job/attempt";
import { awaitPermission } from "../job/permission";
import { messageOf } from "../service/problems";
import { keepIn, keptIn, mountsFile } from "./kept-permissions";
import { mountPath } from "./mount-path";

const forRepository = "Allow for this repository";
/** Keeps a repository from flooding the inbox. */
const mostAsked = 10;

/**
 * Mounts the repository needs (`needs:` of `.backloom.yml`) and the user has allowed. The list grows while the job runs
 * and applies to every program started afterwards. Approvals are remembered per repository.
 */
export async function neededMounts(
  attempt: Attempt,
  repository: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { rules, options } = attempt;
  const missing = rules.needs.filter((mount) => !options.mounts.includes(mount));
  if (missing.length === 0) return [];
  const file = mountsFile(options.workDir);
  const kept = await keptIn(file, repository);
  const allowed = missing.filter((mount) => kept.includes(mount));
  const open = missing.filter((mount) => !kept.includes(mount));
  tell(attempt, open);
  for (const mount of open.slice(0, mostAsked)) {
    void ask(attempt, mount, signal).then(async (isAllowed) => {
      if (!isAllowed) return;
      allowed.push(mount);
      await keepIn(file, repository, mount);
      attempt.journal.say(`Allowed: ${mount}`);
    });
  }
  return allowed;
}

function tell({ journal, output }: Attempt, open: readonly string[]): void {
  if (open.length === 0) return;
  const title = ".backloom.yml needs more of this machine";
  const words = open.map((mount) => `--mount ${mount}`).join(" ");
  const text = `Its person is asked. To have it from the start, start the worker with ${words}`;
  journal.sayOnce(`${title}. ${text}`);
  output.add({
    ...{ kind: "note", title, text: text.slice(0, 2_000) },
    at: new Date().toISOString(),
  });
}

async function ask(attempt: Attempt, mount: string, signal: AbortSignal): Promise<boolean> {
  const { path, isWritable } = mountPath(mount);
  const what = (await stat(path).catch(() => null)) === null ? " It is not there now." : "";
  const how = isWritable ? "read and write" : "read";
  const question = `May jobs of this repository ${how} ${path} of your machine? Its .backloom.yml needs it.${what}`;
  const wish = { question, options: [forRepository, "Deny"] };
  try {
    return (await awaitPermission(attempt, wish, signal)) === forRepository;
  } catch (error) {
    if (!signal.aborted) {
      attempt.journal.say(`Could not ask about ${mount}: ${messageOf(error)}`);
    }
    return false;
  }
}
