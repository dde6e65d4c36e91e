import { operation } from "~/nouns/operation.server";
import { nextUpkeepInput, nextUpkeepSchema, reportedUpkeepSchema, reportUpkeepInput } from "~/wire/upkeep/contract";

/** Which file a worker brings up to date next. */
export const nextUpkeep = operation("next_upkeep", nextUpkeepInput, nextUpkeepSchema);

/** What became of it. */
export const reportUpkeep = operation("report_upkeep", reportUpkeepInput, reportedUpkeepSchema);
