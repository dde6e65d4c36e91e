import { databaseFactsSchema } from "~/contract/metrics";
import { noInput, serviceOperation } from "../operation.server";

/** Queue, runs, outbox, budgets, schedule and size, for monitoring (docs/operate.md). */
export const getMetrics = serviceOperation("get_metrics", noInput, databaseFactsSchema);
