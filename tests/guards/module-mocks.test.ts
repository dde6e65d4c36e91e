import { expect, it } from "vitest";
import settings from "../../vitest.config.ts?raw";

const texts = import.meta.glob<string>("../**/*.test.{ts,tsx}", { query: "?raw", import: "default", eager: true });

it("a test that replaces modules runs alone: elsewhere the real ones may be loaded already", () => {
  const replacing = Object.entries(texts)
    .filter(([, text]) => /^vi\.mock\(/m.test(text))
    .map(([file]) => file.replace("../", "tests/"));
  expect(replacing.length).toBeGreaterThan(0);
  expect(replacing.filter((file) => !settings.includes(`"${file}"`))).toEqual([]);
});
