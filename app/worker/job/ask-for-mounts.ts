import { stat } from "node:fs/promises";
import { keptIn, mountsFile } from "../sandbox/kept-permissions";
import { type NeededMount, neededMount } from "../sandbox/mount-path";
import type { Attempt } from "./attempt";
import { askAboutMachine, hearLateAnswers } from "./late-answers";

const always = "Allow for this repository";
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
): Promise<readonly NeededMount[]> {
  const { rules, options } = attempt;
  const missing = rules.needs.filter((mount) => !options.mounts.includes(mount)).map(neededMount);
  if (missing.length === 0) return [];
  const file = mountsFile(options.workDir);
  await hearLateAnswers(attempt, file, repository, { always });
  const kept = await keptIn(file, repository);
  const allowed = missing.filter(({ name }) => kept.includes(name));
  const open = missing.filter(({ name }) => !kept.includes(name));
  tell(attempt, open);
  for (const mount of open.slice(0, mostAsked)) {
    void ask(attempt, mount, { file, place: repository }, signal).then((isAllowed) => {
      if (!isAllowed) return;
      allowed.push(mount);
      attempt.journal.say(`Allowed: ${mount.name}`);
    });
  }
  return allowed;
}

function tell({ journal, output }: Attempt, open: readonly NeededMount[]): void {
  if (open.length === 0) return;
  const title = ".backloom.yml needs more of this machine";
  const words = open.map(({ name }) => `--mount ${name}`).join(" ");
  const text = `Its person is asked. To have it from the start, start the worker with ${words}`;
  journal.sayOnce(`${title}. ${text}`);
  output.add({
    ...{ kind: "note", title, text: text.slice(0, 2_000) },
    at: new Date().toISOString(),
  });
}

async function ask(
  attempt: Attempt,
  { name, real, isWritable }: NeededMount,
  kept: { file: string; place: string },
  signal: AbortSignal,
): Promise<boolean> {
  const what = (await stat(real).catch(() => null)) === null ? " It is not there now." : "";
  const how = isWritable ? "read and write" : "read";
  const question = `May jobs of this repository ${how} ${real} of your machine? Its .backloom.yml needs it.${what}`;
  const wish = { question, options: [always, "Deny"], what: name, always, ...kept };
  return (await askAboutMachine(attempt, wish, signal)) === always;
}
