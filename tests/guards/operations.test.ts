import { describe, expect, it } from "vitest";

const files = import.meta.glob<string>("../../app/domain/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
const lists = Object.entries(files).filter(([file]) => file.endsWith("/operations.server.ts"));
const others = Object.entries(files).filter(([file]) => !file.endsWith("/operations.server.ts"));

/** What a list of operations says: the name in our code and that of the SQL function. */
const described = lists.flatMap(([, text]) =>
  [
    ...text.matchAll(
      /^export const (\w+) = (?:operation|gatheringOperation|serviceOperation)\(\s*"(\w+)"/gm,
    ),
  ].map(([, name = "", sql = ""]) => ({ name, sql })),
);

/** A whole function that hands its input to a SQL function as it is: `{ p_task_id: input.task_id }`, with or without a rest. */
const passesOn =
  /\{\s*return call(?:As|AsRaw|Service)\(\s*\w+,\s*"(\w+)",\s*\{\s*(?:p_(\w+): (?:input\.)?\2,?\s*)+(?:p_\w+: \w+,?\s*)?\}/g;

describe("operations", () => {
  it("have the name of their SQL function", () => {
    const wrong = described.filter(({ name, sql }) => name !== toCamelCase(sql));
    expect(wrong).toEqual([]);
    expect(described.length).toBeGreaterThan(20);
  });

  it("are described once", () => {
    const names = described.map(({ sql }) => sql);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const again = others.flatMap(([file, text]) =>
      names.filter((name) => text.includes(`"${name}"`)).map((name) => `${file}: ${name}`),
    );
    expect(again).toEqual([]);
  });

  it("that only pass on stand in the list of their noun, and have no file of their own", () => {
    const found = others.flatMap(([file, text]) =>
      [...text.matchAll(passesOn)].map(([, name]) => `${file}: ${name}`),
    );
    expect(found).toEqual([]);
  });
});

function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
