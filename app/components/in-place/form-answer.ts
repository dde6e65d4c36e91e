/** What an action says about one field of a form that was refused; empty when all is well. */
export function refusalOf(answer: unknown, name: string): string[] {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return [];
  const { error } = answer;
  if (typeof error === "string") return [error];
  if (typeof error !== "object" || error === null) return [];
  return Object.entries(error)
    .filter(([path]) => path === name || path === "")
    .flatMap(([, messages]) => (Array.isArray(messages) ? messages.map(String) : []));
}

/** What was typed into a refused form, as its answer brings it back to a page without script. */
export function typedIn(answer: unknown, name: string): string | undefined {
  if (typeof answer !== "object" || answer === null || !("initialValue" in answer))
    return undefined;
  const { initialValue } = answer;
  const typed = Object.entries(initialValue ?? {}).find(([field]) => field === name)?.[1];
  return typeof typed === "string" ? typed : undefined;
}
