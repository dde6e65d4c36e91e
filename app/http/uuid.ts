const canonicalUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Accepts lower-case UUIDs only. Anything else cannot be an id, so it never reaches the database. */
export function isCanonicalUuid(text: string): boolean {
  return canonicalUuid.test(text);
}
