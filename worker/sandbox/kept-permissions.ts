import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { agentQuestionSchema } from "~/wire/questions/contract";
import { writeWhole } from "../base/files";

/** Lists by product or repository. */
const lists = <T extends z.ZodType>(entry: T) => z.record(z.string(), z.array(entry));
/** Permanent permissions of the user. */
const keptSchema = lists(z.string());
/** Questions of jobs that may have ended before their answer, and what each is about. */
const askedSchema = lists(z.object({ what: z.string(), question: agentQuestionSchema }));
export type Asked = z.output<typeof askedSchema>[string][number];

/** File of allowed hosts, by product. */
export function hostsFile(workDir: string): string {
  return join(workDir, "allowed-hosts.json");
}

/** File of allowed files, folders and sockets, by repository folder. */
export function mountsFile(workDir: string): string {
  return join(workDir, "allowed-mounts.json");
}

export async function keptIn(file: string, place: string): Promise<string[]> {
  return (await read(file, keptSchema))[place] ?? [];
}

export async function keepIn(file: string, place: string, allowed: string): Promise<void> {
  await change(file, keptSchema, place, (kept) => [...new Set([...kept, allowed])]);
}

/** The questions about what a file of permissions keeps. */
export async function askedFor(file: string, place: string): Promise<Asked[]> {
  return (await read(`${file}.asked`, askedSchema))[place] ?? [];
}

export async function noteAsked(file: string, place: string, asked: Asked): Promise<void> {
  await change(`${file}.asked`, askedSchema, place, (all) => [...all, asked]);
}

export async function forgetAsked(file: string, place: string, what: string): Promise<void> {
  await change(`${file}.asked`, askedSchema, place, (all) => all.filter((one) => one.what !== what));
}

let changing: Promise<unknown> = Promise.resolve();

/** One change at a time: several questions may be answered at once. */
function change<T>(
  file: string,
  schema: z.ZodType<Record<string, T[]>>,
  place: string,
  edit: (list: T[]) => T[],
): Promise<void> {
  const changed = changing.then(async () => {
    const all = await read(file, schema);
    const next = { ...all, [place]: edit(all[place] ?? []) };
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
