import { z } from "zod";

const who = { agent: z.string().nullable(), model: z.string().nullable() };

/** Finished tasks of an agent and model; `label` null: of all labels. Medians. */
const countedSchema = z.object({
  ...who,
  label: z.string().nullable(),
  finished: z.int(),
  passed: z.int(),
  rounds: z.number().nullable(),
  cost: z.number().nullable(),
  minutes: z.number().nullable(),
});
export type Counted = z.infer<typeof countedSchema>;

export const countedRowsSchema = z.object({ rows: z.array(countedSchema) });

const rowSchema = countedSchema.omit({ passed: true }).extend({
  /** Share of tasks whose first work handed in stayed, and its 95 % interval; null below eight. */
  first_pass: z.number().nullable(),
  interval: z.tuple([z.number(), z.number()]).nullable(),
  too_few: z.boolean(),
});
export type ScoreboardRow = z.infer<typeof rowSchema>;

export const scoreboardSchema = z.object({ rows: z.array(rowSchema) });

/** Below this nothing is said. */
export const fewest = 8;

export function toRow({ passed, ...row }: Counted): ScoreboardRow {
  if (row.finished < fewest) {
    const unsaid = { first_pass: null, interval: null, rounds: null, cost: null, minutes: null };
    return { ...row, ...unsaid, too_few: true };
  }
  const interval = wilson(passed, row.finished);
  return { ...row, first_pass: thousandths(passed / row.finished), interval, too_few: false };
}

/** The 95 % interval of Wilson for a share. */
export function wilson(passed: number, of: number): [number, number] {
  const z = 1.959964;
  const share = passed / of;
  const scale = 1 + (z * z) / of;
  const center = (share + (z * z) / (2 * of)) / scale;
  const margin = (z / scale) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return [thousandths(Math.max(0, center - margin)), thousandths(Math.min(1, center + margin))];
}

const thousandths = (share: number) => Math.round(share * 1_000) / 1_000;

/** Whose interval lies above those of all others: asked of each label, then of all tasks. Null if not clear. */
export function clearlyBest(rows: readonly ScoreboardRow[], labels: readonly string[]): ScoreboardRow | null {
  for (const label of [...labels, null]) {
    const [best, ...others] = rows
      .filter((row) => row.label === label && row.interval !== null && row.agent !== null)
      .toSorted((one, other) => (other.first_pass ?? 0) - (one.first_pass ?? 0));
    if (!best || others.length === 0) continue;
    const floor = best.interval?.[0] ?? 0;
    if (others.every(({ interval }) => floor > (interval?.[1] ?? 1))) return best;
  }
  return null;
}
