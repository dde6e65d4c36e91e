import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "@playwright/test";
import { ensureBrowser } from "./setup/browser.mjs";
import { folderForData } from "./setup/folder-for-data.mjs";
import { forgetfulGit } from "./setup/forgetful-git";
import { thoroughJourneys } from "./setup/thorough.mjs";

// Several runs may share a machine. The server and the admin commands of the journeys share port and data folder; workers inherit them.
process.env.E2E_PORT ??= String(20_000 + (process.pid % 10_000));
const baseURL = `http://localhost:${process.env.E2E_PORT}`;
process.env.E2E_DATA_DIR ??= mkdtempSync(join(folderForData(), "backloom-e2e-"));

Object.assign(process.env, forgetfulGit);
// The demo agent takes its time for people who watch it.
process.env.BACKLOOM_DEMO_SECONDS = "0";

const isShort = process.env.TESTS === "short";
const browser = await ensureBrowser();
/** A name that is this machine, as in a home network; browsers trust it less than localhost. */
const homeNetwork = "--host-resolver-rules=MAP backlog.lan 127.0.0.1";

/** Journeys through the real service in a real browser: `npm run test:e2e`. */
export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  testIgnore: isShort ? thoroughJourneys : [],
  grepInvert: isShort ? /@thorough/ : undefined,
  outputDir: "../test-results",
  timeout: 90_000,
  // A wait is for something to happen; how long it takes on a shared machine says nothing.
  expect: { timeout: 15_000 },
  // A journey mostly waits for its page: two keep two cores busy.
  workers: 2,
  // No journey needs another one, and none waits for its turn at the end while a core has nothing to do.
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [["list"], ["json"]] : [["list"]],
  use: {
    baseURL,
    // A request that is held up while a service worker takes its page over is lost; the journeys about that one have it.
    serviceWorkers: "block",
    launchOptions: { ...browser, args: [...(browser.args ?? []), homeNetwork] },
    // Recording costs two fifths of the time; anyone who looks for a cause asks for it with --trace on.
    trace: "off",
  },
  webServer: {
    command: `exec node tests/setup/e2e-server.mjs`,
    cwd: "..",
    env: {
      PORT: process.env.E2E_PORT,
      E2E_DATA_DIR: process.env.E2E_DATA_DIR,
      LOG_LEVEL: "warn",
      APP_ORIGIN: baseURL,
      NODE_ENV: "production",
      TRUST_PROXY: "loopback",
      // The push service of the journeys is on this machine.
      ALLOW_PRIVATE_DESTINATIONS: "true",
      NODE_EXTRA_CA_CERTS: fileURLToPath(new URL("./notices/local-certificate.pem", import.meta.url)),
    },
    url: `${baseURL}/api/health?db=1`,
    timeout: 180_000,
    gracefulShutdown: { signal: "SIGTERM", timeout: 15_000 },
    stdout: "ignore",
    stderr: "pipe",
  },
});
