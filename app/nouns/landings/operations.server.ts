import { operation } from "~/nouns/operation.server";
import * as wire from "~/wire/landings/contract";

/** The next branch for a worker to land. */
export const nextLanding = operation("next_landing", wire.nextLandingInput, wire.nextLandingSchema);

/** Reports the state of a landing. */
export const reportLanding = operation("report_landing", wire.reportLandingInput, wire.landingSchema);

/** The merge queue of a product, and its latest results. */
export const listLandings = operation("list_landings", wire.listLandingsInput, wire.landingListSchema);
