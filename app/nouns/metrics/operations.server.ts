import { noInput, serviceOperation } from "~/nouns/operation.server";
import { databaseFactsSchema } from "~/wire/metrics/contract";

/** Queue, runs, outbox, budgets, schedule and size, for monitoring (docs/operate.md). */
export const getMetrics = serviceOperation("get_metrics", noInput, databaseFactsSchema);
