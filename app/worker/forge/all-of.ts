import { z } from "zod";
import type { Requests } from "./requests";

const mostPages = 10;

/** Reads all pages of a list, at most ten. */
export async function allOf<T>(
  item: z.ZodType<T>,
  list: string,
  size: number,
  requests: Requests,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const path = page === 1 ? list : `${list}&page=${page}`;
    const found = z.array(item).parse(await requests.get(path));
    all.push(...found);
    if (found.length < size) break;
  }
  return all;
}

/** Asks at most once per name. */
export function onceEach<T>(ask: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>();
  return (name) => {
    const before = asked.get(name) ?? ask(name);
    asked.set(name, before);
    return before;
  };
}
