import { drivers } from "./catalog";

/** What each driver reports, as the table in `docs/worker.md`. */
export function reportsTable(): string {
  const rows = drivers.flatMap(({ name, reports }) =>
    Object.entries(reports).map(
      ([way, { entries, tokens, cost, resume, questions, limits }]) =>
        `| \`${name}\` | \`${way}\` | ${entries} | ${tokens} | ${cost} | ${resume} | ${questions} | ${limits} |`,
    ),
  );
  return [
    "| `--agent` | Through | What you see | Tokens | Cost | Resumes | Questions | Limits |",
    "|---|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
