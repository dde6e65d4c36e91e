import type { ComponentType } from "react";
import { neededFirst } from "./needed-first";

interface LaterPart<Props extends object> {
  load: () => Promise<void>;
  /** The component, once loaded. */
  get: () => ComponentType<Props> | undefined;
}

/**
 * A part that pages rarely start with, loaded separately from the first script. The server and the code that shows it
 * call `load` first. A page that was rendered with it (selector `mark` matches) hydrates after its code has loaded.
 */
export function laterPart<Props extends object>(
  find: () => Promise<ComponentType<Props>>,
  mark: string,
): LaterPart<Props> {
  let part: ComponentType<Props> | undefined;
  let coming: Promise<void> | undefined;
  const load = (): Promise<void> => {
    coming ??= find().then(
      (found) => {
        part = found;
      },
      (error) => {
        coming = undefined;
        throw error;
      },
    );
    return coming;
  };
  if (typeof document !== "undefined" && document.querySelector(mark) !== null) {
    neededFirst.push(load().catch(() => location.reload()));
  }
  return { load, get: () => part };
}

/** Suspends without a boundary on purpose: a navigation to the part waits for its code as for its data. */
export function Later<Props extends object>({
  part,
  props,
}: {
  part: LaterPart<Props>;
  props: Props;
}) {
  const Part = part.get();
  if (!Part) throw part.load();
  return <Part {...props} />;
}
