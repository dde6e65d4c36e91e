import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { agentQuestionSchema } from "~/wire/questions/contract";
import { writeWhole } from "../base/files";

/** Lists by product or repository. */
const lists = <T extends z.ZodType>(entry: T) => z.record(z.string(), z.array(entry));
const keptSchema = lists(z.string());
/** Questions of jobs that may have ended before their answer, and what each is about. */
const openQuestionsSchema = lists(z.object({ what: z.string(), question: agentQuestionSchema }));
export type OpenQuestion = z.output<typeof openQuestionsSchema>[string][number];

/** File of allowed hosts, by product. */
export function hostsFile(workDir: string): string {
  return join(workDir, "allowed-hosts.json");
}

/** File of allowed files, folders and sockets, by repository folder. */
export function mountsFile(workDir: string): string {
  return join(workDir, "allowed-mounts.json");
}

export async function keptIn(file: string, scope: string): Promise<string[]> {
  return (await read(file, keptSchema))[scope] ?? [];
}

export async function keepIn(file: string, scope: string, allowed: string): Promise<void> {
  await change(file, keptSchema, scope, (kept) => [...new Set([...kept, allowed])]);
}

/** The questions about what a file of permissions keeps. */
export async function openQuestionsFor(file: string, scope: string): Promise<OpenQuestion[]> {
  return (await read(`${file}.asked`, openQuestionsSchema))[scope] ?? [];
}

export async function noteQuestion(file: string, scope: string, question: OpenQuestion): Promise<void> {
  await change(`${file}.asked`, openQuestionsSchema, scope, (all) => [...all, question]);
}

export async function forgetQuestion(file: string, scope: string, what: string): Promise<void> {
  await change(`${file}.asked`, openQuestionsSchema, scope, (all) => all.filter((one) => one.what !== what));
}

let changing: Promise<unknown> = Promise.resolve();

/** One change at a time: several questions may be answered at once. */
function change<T>(
  file: string,
  schema: z.ZodType<Record<string, T[]>>,
  scope: string,
  edit: (list: T[]) => T[],
): Promise<void> {
  const changed = changing.then(async () => {
    const all = await read(file, schema);
    const next = { ...all, [scope]: edit(all[scope] ?? []) };
    await writeWhole(file, `${JSON.stringify(next, null, 2)}\n`);
  });
  changing = changed.catch(() => undefined);
  return changed;
}

async function read<T>(file: string, schema: z.ZodType<Record<string, T[]>>): Promise<Record<string, T[]>> {
  const text = await readFile(file, "utf8").catch(() => "{}");
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
