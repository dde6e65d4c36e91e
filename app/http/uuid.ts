const canonicalUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Only the lower-case form is an id: everything else names nothing and never reaches the database. */
export function isCanonicalUuid(text: string): boolean {
  return canonicalUuid.test(text);
}
