import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { allDrivers } from "../agents/catalog";
import { personsVariables } from "../base/environment";
import { readPlain } from "../base/files";
import { plainFolder } from "../sandbox/job-store";
import { folderOf } from "../sandbox/tool-homes";

/** Whose conversation it is, and the folder of its worker. */
type Conversation = { agent: string | null; sessionId: string | null; home: string; job: { id: string } };

const mostBytes = 256 * 1024 ** 2;

/**
 * From the agent's sandbox into the person's home. Returns the files; none if the agent keeps no file for each; null
 * without a sandbox. What the person has under that name stays: the name comes from the agent.
 */
export async function lendSession(conversation: Conversation): Promise<string[] | null> {
  const folders = foldersOf(conversation);
  const wasConfined = (await stat(homeOfJob(conversation)).catch(() => null)) !== null;
  if (!wasConfined) return null;
  if (folders === null) return [];
  const { inside, own, end } = folders;
  const names = await filesIn(inside, end);
  if (names.length === 0 && (await filesIn(own, end)).length > 0) return null;
  for (const name of names) {
    const text = await readPlain(join(inside, name), mostBytes);
    await mkdir(dirname(join(own, name)), { recursive: true });
    const options = { flag: "wx", mode: 0o600 };
    if (text !== null) await writeFile(join(own, name), text, options).catch(() => undefined);
  }
  return names;
}

/** Returns it, with what the person said. Where an agent may have written, no link is followed. */
export async function returnSession(conversation: Conversation, lent: readonly string[]): Promise<void> {
  const folders = foldersOf(conversation);
  if (folders === null) return;
  for (const name of lent) {
    const text = await readPlain(join(folders.own, name), mostBytes);
    if (text === null) continue;
    const target = join(folders.inside, name);
    await plainFolder(homeOfJob(conversation), dirname(target));
    await rm(target, { recursive: true, force: true });
    await writeFile(target, text, { flag: "wx", mode: 0o600 });
    await rm(join(folders.own, name));
  }
}

async function filesIn(folder: string, end: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return entries.filter((entry) => entry.endsWith(end));
}

function homeOfJob({ home, job }: Conversation): string {
  return join(home, "homes", job.id);
}

function foldersOf(conversation: Conversation) {
  const { agent, sessionId } = conversation;
  const needs = allDrivers.find(({ name }) => name === agent)?.needs;
  if (needs?.sessions === undefined || sessionId === null) return null;
  const { folder, endOf } = needs.sessions;
  const own = folderOf(needs.home, folder, personsVariables());
  return { inside: join(homeOfJob(conversation), folder), own, end: endOf(sessionId) };
}
