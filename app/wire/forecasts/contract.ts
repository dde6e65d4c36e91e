import { z } from "zod";
import { ceilingSchema, estimateSchema } from "../budgets/contract";
import { idSchema, text } from "../text";

/** Most changes of an index, most files of one that says something about a task, and most files of all together. */
export const indexLimits = {
  changes: 3_000,
  paths: 40,
  files: 20_000,
  title: 300,
  pathBytes: 2_000,
  unpacked: 8_388_608,
} as const;

const commit = z.string().regex(/^[0-9a-f]{7,64}$/, "Must be a commit's hash.");

/** One change of main: what it was called and which files it touched. Nothing of who made it. */
const knownChangeSchema = z.object({
  sha: commit,
  at: z.iso.datetime({ offset: true }),
  title: text(indexLimits.title),
  paths: z
    .array(text(indexLimits.pathBytes).refine((path) => path !== "" && new TextEncoder().encode(path).length <= 2_000))
    .min(1)
    .max(indexLimits.paths),
  /** The commit that it takes back. */
  reverts: commit.optional(),
});
export type KnownChange = z.infer<typeof knownChangeSchema>;

/** How many files some changes touched together. */
export const countFiles = (changes: readonly KnownChange[]): number =>
  new Set(changes.flatMap(({ paths }) => paths)).size;

/** Body of `PUT /api/products/:id/change-index`: newest first. */
export const changeIndexBody = z.object({
  /** The address as the job names it; empty for a repository without one. */
  repository: text(2_000),
  head_sha: commit,
  changes: z
    .array(knownChangeSchema)
    .max(indexLimits.changes)
    .refine(
      (changes) => countFiles(changes) <= indexLimits.files,
      "Must name at most 20,000 files: send fewer changes.",
    ),
});
export const changeIndexInput = changeIndexBody.extend({ product_id: idSchema });

/** GET /api/tasks/:id/forecast. */
export const taskForecastSchema = z.object({
  known_changes: z.int(),
  /** The head of main that it was made from; null without a forecast. */
  main_sha: z.string().nullable(),
  touches: z.array(
    z.object({
      path: z.string(),
      is_folder: z.boolean(),
      /** How many of the similar changes touched it, and how many there are; null for what the text names. */
      in: z.int().nullable(),
      of: z.int().nullable(),
      why: z.enum(["named", "similar"]),
    }),
  ),
  /** Running tasks that probably touch the same files. */
  meets: z.array(
    z.object({
      job_id: z.string(),
      task: z.object({ id: z.string(), code: z.string(), title: z.string() }),
      paths: z.array(z.string()),
    }),
  ),
  estimate: estimateSchema.omit({ held: true, held_of: true }),
  ceiling: ceilingSchema.nullable(),
  /** After delivery: files that were named, that were changed, and both. */
  result: z.object({ named: z.int(), changed: z.int(), hit: z.int() }).optional(),
});
export type TaskForecast = z.infer<typeof taskForecastSchema>;

export const meetsInput = z.object({ product_id: idSchema, task_ids: z.array(idSchema) });
export const meetsSchema = z.record(z.string(), taskForecastSchema.shape.meets);

const rates = { hit_1: z.number(), hit_5: z.number(), hit_10: z.number(), recall_10: z.number() };

/** How good forecasts were, next to two simple guesses. */
export const forecastQualitySchema = z.object({
  /** Whether they are hidden because the newest files are as good a guess. */
  hidden: z.boolean(),
  methods: z.array(z.object({ method: z.enum(["mixed", "recent", "words"]), tasks: z.int(), ...rates })),
  support: z.array(z.object({ support: z.string(), tasks: z.int(), hit_1: rates.hit_1 })),
});
export type ForecastQuality = z.infer<typeof forecastQualitySchema>;
