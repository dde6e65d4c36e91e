import {
  landingListSchema,
  landingSchema,
  listLandingsInput,
  nextLandingInput,
  nextLandingSchema,
  reportLandingInput,
} from "~/contract/landing";
import { operation } from "../operation.server";

/** The branch that a worker brings to the main branch next. */
export const nextLanding = operation("next_landing", nextLandingInput, nextLandingSchema);

/** How far a landing is. */
export const reportLanding = operation("report_landing", reportLandingInput, landingSchema);

/** The landing queue of a product, and what became of the last branches. */
export const listLandings = operation("list_landings", listLandingsInput, landingListSchema);
