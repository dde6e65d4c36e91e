import { defineConfig } from "@playwright/test";
import journeys from "./playwright.config";

/** `npm run screenshots`: every page at two widths in two themes, into docs/screenshots (or SCREENSHOTS_DIR). */
export default defineConfig({
  ...journeys,
  testDir: "e2e/screenshots",
  testMatch: "**/*.shots.ts",
  timeout: 300_000,
  expect: { timeout: 60_000 },
});
