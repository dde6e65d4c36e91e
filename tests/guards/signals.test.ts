import { expect, it } from "vitest";

const texts = import.meta.glob<string>("../../{app,worker}/**/*.{ts,tsx,mjs}", {
  query: "?raw",
  import: "default",
  eager: true,
});

const joining = "AbortSignal.any(";
const timed = "AbortSignal.timeout(";

function filesWith(...wanted: string[]): string[] {
  return Object.entries(texts)
    .map(([file, text]) => ({ file: file.replace("../../", ""), code: withoutComments(text) }))
    .filter(({ code }) => wanted.every((part) => code.includes(part)))
    .map(({ file }) => file);
}

it("A time limit joined with another signal has a timer that no garbage collection removes", () => {
  expect(filesWith(joining).length).toBeGreaterThan(0);
  expect(filesWith(timed).length).toBeGreaterThan(0);
  expect(filesWith(joining, timed)).toEqual([]);
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}
