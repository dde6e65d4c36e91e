import type { ComponentType } from "react";
import { neededFirst } from "./needed-first";

interface LaterPart<Props extends object> {
  load: () => Promise<void>;
  /** Its component, once it is there. */
  get: () => ComponentType<Props> | undefined;
}

/**
 * A part that a page rarely begins with: its code is no part of the first script. The server, and whoever shows it, has called
 * `load` before; a page that came with it (`mark` is in it) comes to life with its code.
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

/** Suspends without a boundary on purpose: to go to a part waits for its code as it waits for its data. */
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
