import {
  referenceSchema,
  resolveReferenceInput,
  searchInput,
  searchResultSchema,
} from "~/contract/search";
import { operation } from "../operation.server";

/** The thing behind an id or a code (specification: Entity codes). */
export const resolveReference = operation(
  "resolve_reference",
  resolveReferenceInput,
  referenceSchema,
);

/** Full text and code search over what the caller reaches. */
export const search = operation("search", searchInput, searchResultSchema);
