import { type JobOutput, jobOutputSchema } from "~/contract/job-output";
import type { Attempt } from "./attempt";

/** As much of an earlier attempt as a prompt takes. */
const mostEntries = 500;
const mostLetters = 8_000;

/** The end of what the agent said and did in the attempts before this one, as the service keeps it. */
export async function earlierWords({ job, service }: Attempt): Promise<string> {
  for (let attempt = job.attempt - 1; attempt > 0; attempt -= 1) {
    const read = (query: string): Promise<JobOutput> =>
      service.read(`/api/jobs/${job.id}/output?attempt=${attempt}&${query}`, jobOutputSchema, {
        retry: false,
      });
    const { last_seq } = await read("limit=1");
    if (last_seq === 0) continue;
    const { entries } = await read(
      `after=${Math.max(0, last_seq - mostEntries)}&limit=${mostEntries}`,
    );
    const words = entries.map(wordsOf).join("").trim();
    if (words !== "") return words.slice(-mostLetters);
  }
  return "";
}

/** Words as they were said, and of each call that it was made. */
function wordsOf({ kind, text, title, status }: JobOutput["entries"][number]): string {
  if (kind === "text") return text;
  const isCall = kind === "command" || kind === "edit" || kind === "tool";
  return isCall && status !== "running" ? `\n[${status ?? "done"}: ${title ?? kind}]\n` : "";
}
