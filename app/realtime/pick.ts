/** The named fields of an event that are there, in the order in which they are named. */
export function pick(
  event: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Record<string, unknown> {
  const payload: Record<string, unknown> = {};
  for (const field of fields) {
    const value = event[field];
    if (value !== undefined) payload[field] = value;
  }
  return payload;
}

/** As `pick`, without the fields that are null. */
export function pickPresent(
  event: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Record<string, unknown> {
  const payload: Record<string, unknown> = {};
  for (const field of fields) {
    const value = event[field];
    if (value !== undefined && value !== null) payload[field] = value;
  }
  return payload;
}
