import { expect, it } from "vitest";
import { z } from "zod";
import { operation, patchOperation } from "~/nouns/operation.server";

const files = import.meta.glob<string>("../../app/nouns/**/*.ts", { query: "?raw", import: "default", eager: true });
const lists = Object.entries(files).filter(([file]) => file.endsWith("/operations.server.ts"));
const others = Object.entries(files).filter(([file]) => !/operations\.server\.ts$/.test(file));

/** What a list of operations says: the name in our code and that of the SQL function. */
const described = lists.flatMap(([, text]) =>
  [...text.matchAll(/^export const (\w+) = (?:operation|patchOperation|serviceOperation)\(\s*"(\w+)"/gm)].map(
    ([, name = "", sql = ""]) => ({ name, sql }),
  ),
);

/** A whole function that hands its input to a SQL function as it is: `{ p_task_id: input.task_id }`, with or without a rest. */
const passesOn =
  /\{\s*return call(?:As|AsRaw|Service)\(\s*\w+,\s*"(\w+)",\s*\{\s*(?:p_(\w+): (?:input\.)?\2,?\s*)+(?:p_\w+: \w+,?\s*)?\}/g;

it("An operation has the name of its SQL function", () => {
  const wrong = described.filter(({ name, sql }) => name !== toCamelCase(sql));
  expect(wrong).toEqual([]);
  expect(described.length).toBeGreaterThan(20);
});

it("An operation is described once", () => {
  const names = described.map(({ sql }) => sql);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  const again = others.flatMap(([file, text]) =>
    names.filter((name) => text.includes(`"${name}"`)).map((name) => `${file}: ${name}`),
  );
  expect(again).toEqual([]);
});

it("An operation that only passes on is in its noun's list, and has no separate file", () => {
  const found = others.flatMap(([file, text]) => [...text.matchAll(passesOn)].map(([, name]) => `${file}: ${name}`));
  expect(found).toEqual([]);
});

it("An operation does not compile when its SQL function does not take what it is given", () => {
  const given = z.object({ task_id: z.string() });
  const forced = given.extend({ forced: z.boolean() });
  const own = ["task_id"] as const;
  expect([
    // @ts-expect-error there is no such function
    operation("delete_tasks", given, z.null()),
    // @ts-expect-error it has no argument p_forced
    operation("delete_task", forced, z.null()),
    // @ts-expect-error p_story_id is missing
    operation("move_task", given, z.null()),
    // @ts-expect-error a number is not an id
    operation("delete_task", z.object({ task_id: z.number() }), z.null()),
    // @ts-expect-error the id may be left out, the argument may not
    operation("delete_task", given.partial(), z.null()),
    // @ts-expect-error it gathers in p_changes
    patchOperation("edit_task", forced, { own, rest: "fields" }, z.null()),
  ]).toHaveLength(6);
});

function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
