import { expect, it } from "vitest";
import { thorough, thoroughJourneys, thoroughNames } from "../setup/thorough.mjs";

const texts = import.meta.glob<string>("../**/*.{test,spec}.ts", { query: "?raw", import: "default", eager: true });
const files = Object.keys(texts).map((file) => file.replace(/^\.\//, "tests/guards/").replace("../", "tests/"));

const all = Object.values(texts).join("\n");

/** Whether a title has the name, or a group's title ends with its first words and a test's begins with the rest. */
function isTitle(name: string): boolean {
  if (all.includes(name)) return true;
  const words = name.split(" ");
  return words.some((_, at) => {
    const [group, test] = [words.slice(0, at).join(" "), words.slice(at).join(" ")];
    return group !== "" && all.includes(`${group}", `) && all.includes(`("${test}`);
  });
}

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

it("what only the long run has is there by its name: one that changed would join the short run unseen", () => {
  expect(thoroughNames.filter((name) => !isTitle(name))).toEqual([]);
  const patterns = [...thorough, ...thoroughJourneys].flatMap(eachOf);
  expect(patterns.filter((pattern) => !matches(pattern))).toEqual([]);
});
