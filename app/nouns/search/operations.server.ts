import { operation } from "~/nouns/operation.server";
import { referenceSchema, resolveReferenceInput, searchInput, searchResultSchema } from "~/wire/search/contract";

/** Finds the item of an id or code (specification: Entity codes). */
export const resolveReference = operation("resolve_reference", resolveReferenceInput, referenceSchema);

/** Full-text and code search over everything the caller can see. */
export const search = operation("search", searchInput, searchResultSchema);
