import { expect, it } from "vitest";
import { thoroughFiles, thoroughJourneys } from "../setup/thorough.mjs";

const texts = import.meta.glob<string>(["../**/*.{test,spec}.ts", "../../bench/*.test.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const files = Object.keys(texts).map((file) =>
  file.replace(/^\.\//, "tests/guards/").replace("../../", "").replace("../", "tests/"),
);

/** A pattern with one list in braces, as a pattern for each of its members. */
function eachOf(pattern: string): string[] {
  const [before = "", list, after = ""] = pattern.split(/[{}]/);
  return list === undefined ? [pattern] : list.split(",").map((one) => before + one + after);
}

const matches = (pattern: string) => {
  const path = pattern
    .replace(/[.]/g, "\\.")
    .replace("**", ".+")
    .replace(/(?<!\.)\*/g, "[^/]*");
  return files.some((file) => new RegExp(`^${path}$`).test(file));
};

it("Every file that only the long run has is there by its name, or it would join the short run unseen", () => {
  const patterns = [...thoroughFiles, ...thoroughJourneys].flatMap(eachOf);
  expect(patterns.filter((pattern) => !matches(pattern))).toEqual([]);
});
