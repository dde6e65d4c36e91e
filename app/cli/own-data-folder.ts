import type { Env } from "~/env.server";
import { CommandError } from "./command";

/** The data folder of an embedded installation; for a project, `instead` says what to do there. */
export function ownDataDir({ supabase, dataDir }: Env, instead: string): string {
  if (supabase === undefined) return dataDir;
  throw new CommandError(`The data are in the Supabase project ${supabase.url}: ${instead}.`);
}

/** What is wrong with a data folder is a refusal of the command. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  const { DataFolderProblem } = await import("../../supabase/embedded/data-folder/problem");
  try {
    return await work();
  } catch (error) {
    if (error instanceof DataFolderProblem) throw new CommandError(error.message);
    throw error;
  }
}
