import { createHash } from "node:crypto";
import { test as base } from "@playwright/test";

/**
 * Every journey comes from an address of its own, as people do: some limits (registrations, pairings)
 * count by address. The server of these tests believes the header because it comes over loopback.
 */
export const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants the fixtures as a pattern
  extraHTTPHeaders: async ({}, use, testInfo) => {
    const bytes = createHash("sha256").update(`${testInfo.testId} ${testInfo.retry}`).digest();
    await use({ "x-forwarded-for": `10.${bytes[0]}.${bytes[1]}.${bytes[2]}` });
  },
});
