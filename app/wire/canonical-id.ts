const canonicalUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** No row has this id. */
const unusedId = "00000000-0000-0000-0000-000000000000";

/** Accepts lower-case UUIDs only. Anything else cannot be an id, so it never reaches the database. */
export const isCanonicalUuid = (text: string): boolean => canonicalUuid.test(text);

/** The id in an address or a form. A malformed one becomes an id that no row has, so the operation refuses it as unknown. */
export function canonicalId(text: string | undefined): string {
  return text !== undefined && isCanonicalUuid(text) ? text : unusedId;
}
