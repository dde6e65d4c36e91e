/** Returns the given fields of an event that are defined, in the given order. */
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

/** Like `pick`, but also leaves out null fields. */
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
