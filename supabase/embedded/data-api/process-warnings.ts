/**
 * @supabase/lite puts a filter before `process.emitWarning` that takes every warning for a string;
 * for an `Error`, which Node allows, it throws in whoever warned. Such a warning is given the one method that the filter asks for.
 */
export function mendProcessWarnings(): void {
  const filtered = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const asked =
      typeof warning === "string" ? warning : Object.assign(warning, { includes: () => false });
    Reflect.apply(filtered, process, [asked, ...rest]);
  };
}
