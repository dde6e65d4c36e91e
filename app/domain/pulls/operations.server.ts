import { listPullsInput, observedSchema, observePullsInput, pullListSchema } from "~/contract/pull";
import { operation } from "../operation.server";

/** What workers saw of pull requests, and what follows from it. */
export const observePulls = operation("observe_pulls", observePullsInput, observedSchema);

/** The pull requests of a product as they were last seen. */
export const listPulls = operation("list_pulls", listPullsInput, pullListSchema);
