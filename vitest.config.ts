import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const app = fileURLToPath(new URL("./app", import.meta.url));

// Web push speaks https only and its certificates are always checked: processes of the tests trust their own push service
// as those of an operator trust a private authority.
process.env.NODE_EXTRA_CA_CERTS = fileURLToPath(
  new URL("./tests/notices/local-certificate.pem", import.meta.url),
);

/** What runs inside the test's own process and leaves nothing behind there: its modules are loaded once, not once a file. */
const inProcess = ["accounts", "api", "contract", "db", "http", "mcp", "pages", "pairing", "races"];
const files = (folder: string) => [`tests/${folder}/**/*.test.ts`, `tests/${folder}/**/*.test.tsx`];

/** Every test but the browser journeys: one Postgres for the run, one database for each file. */
export default defineConfig({
  resolve: { alias: { "~": app } },
  test: {
    projects: [
      {
        extends: true,
        test: { name: "in-process", include: inProcess.flatMap(files), isolate: false },
      },
      {
        extends: true,
        test: {
          name: "processes",
          include: files("*"),
          exclude: [...inProcess, "e2e", "bench"].map((folder) => `tests/${folder}/**`),
        },
      },
    ],
    globalSetup: ["tests/setup/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A poll waits for something to happen; how long that takes on a shared machine says nothing.
    expect: { poll: { timeout: 15_000, interval: 50 } },
    restoreMocks: true,
  },
});
