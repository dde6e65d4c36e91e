import { WorkThread } from "~/threads/work-thread.server";
import { ContractError } from "~/wire/errors";
import type { ImportAnswer, ImportTask } from "./import-thread";
import source from "./import-thread?thread";
import type { PreparedImport } from "./prepared-import";

/** What an import's parts cost at most: milliseconds and megabytes. */
const thread = new WorkThread(source, { longest: 20_000, memoryMb: 384 });

interface ReadImport extends PreparedImport {
  /** The draft for the next step of a page, which sends it back as it is. */
  packed: string;
}

/** Parses uploaded files of a format, or what a preview packed; refuses invalid ones. */
export async function readImport(task: ImportTask, userId: string): Promise<ReadImport> {
  const outcome = await thread.run(task, userId);
  if (outcome === "too-busy") throw new ContractError(503, "Other imports are being read. Try again in a minute.");
  if (outcome === "too-heavy") throw new ContractError(422, "Reading this takes too long. Import it in parts.");
  const answer: ImportAnswer = JSON.parse(outcome.made);
  if ("told" in answer) return { ...answer, given: outcome.text };
  throw new ContractError(answer.status, answer.message);
}
