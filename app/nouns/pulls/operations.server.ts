import { operation } from "~/nouns/operation.server";
import * as wire from "~/wire/pulls/contract";

/** Stores what workers saw of pull requests, and applies the consequences. */
export const observePulls = operation("observe_pulls", wire.observePullsInput, wire.observedSchema);

/** Pull requests of a product as last seen. */
export const listPulls = operation("list_pulls", wire.listPullsInput, wire.pullListSchema);

/** What pull requests of done work say, and those that are still to be opened. */
export const listPullTexts = operation("list_pull_texts", wire.pullTextsInput, wire.pullTextsSchema);
