import { operation } from "~/nouns/operation.server";
import {
  landingListSchema,
  landingSchema,
  listLandingsInput,
  nextLandingInput,
  nextLandingSchema,
  reportLandingInput,
} from "~/wire/landings/contract";

/** The next branch for a worker to land. */
export const nextLanding = operation("next_landing", nextLandingInput, nextLandingSchema);

/** Reports the state of a landing. */
export const reportLanding = operation("report_landing", reportLandingInput, landingSchema);

/** The merge queue of a product, and its latest results. */
export const listLandings = operation("list_landings", listLandingsInput, landingListSchema);
