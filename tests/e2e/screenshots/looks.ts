import { join } from "node:path";
import type { BrowserContextOptions } from "@playwright/test";

export const folder = process.env.SCREENSHOTS_DIR ?? join("docs", "screenshots");

export const looks: readonly [name: string, options: BrowserContextOptions][] = [
  ["1280-light", { viewport: { width: 1280, height: 860 }, colorScheme: "light" }],
  ["1280-dark", { viewport: { width: 1280, height: 860 }, colorScheme: "dark" }],
  ["390-light", { viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true, hasTouch: true }],
  ["390-dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark", isMobile: true, hasTouch: true }],
];
