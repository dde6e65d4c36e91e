import { AsyncLocalStorage } from "node:async_hooks";

const silenced = new AsyncLocalStorage<true>();
let installed = false;

/**
 * @supabase/lite prints every refused request with a stack on the console and offers no switch.
 * Refusals belong to the caller, so what it prints while answering is dropped; everybody else's
 * output is untouched.
 */
export function withQuietConsole<T>(work: () => T): T {
  install();
  return silenced.run(true, work);
}

function install(): void {
  if (installed) return;
  installed = true;
  const print = console.error;
  console.error = (...values: unknown[]) => {
    if (!silenced.getStore()) print(...values);
  };
}
