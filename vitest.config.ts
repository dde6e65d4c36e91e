import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { forgetfulGit } from "./tests/setup/forgetful-git";
import { thoroughFiles } from "./tests/setup/thorough.mjs";
import { threadPrograms } from "./vite.threads";

const app = fileURLToPath(new URL("./app", import.meta.url));

// Web push speaks https only and its certificates are always checked: processes of the tests trust their own push service
// as those of an operator trust a private authority.
process.env.NODE_EXTRA_CA_CERTS = fileURLToPath(new URL("./tests/notices/local-certificate.pem", import.meta.url));

Object.assign(process.env, forgetfulGit);
// The demo agent takes its time for people who watch it.
process.env.BACKLOOM_DEMO_SECONDS = "0";

/** What measures its whole process, hears what the process says, or replaces modules, has one of its own. */
const alone = ["tests/streams/churn.test.ts", "tests/embedded/process-warnings.test.ts", "tests/worker/proxy.test.ts"];

/** What is refused before the database is asked has nothing to do with the way there. */
const beforeTheDatabase = process.env.TRANSPORT === "http" ? ["tests/api/worst-cases.test.ts"] : [];
const isShort = process.env.TESTS === "short";
const leftOut = [...beforeTheDatabase, ...(isShort ? thoroughFiles : [])];

/** What was transformed for one run serves the next; not for longer, as a file that moved would not be noticed. */
const modulesOfRuns = process.env.TRANSFORMED_MODULES;

/** Every test but the browser journeys: one Postgres for the run, one database for each file. */
export default defineConfig({
  plugins: [threadPrograms()],
  resolve: { alias: { "~": app } },
  test: {
    // All others leave nothing behind in their process: its modules are loaded once, not once a file.
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["{tests,bench}/**/*.test.{ts,tsx}"],
          exclude: [...alone, ...leftOut],
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: alone, exclude: leftOut } },
    ],
    experimental: modulesOfRuns ? { fsModuleCache: true, fsModuleCachePath: modulesOfRuns } : { fsModuleCache: false },
    tags: [{ name: "thorough", description: "Only `npm run test:all` and CI run it." }],
    globalSetup: ["tests/setup/global-setup.ts"],
    setupFiles: ["tests/setup/each-file.ts"],
    pool: "forks",
    // Some wait for clocks and lost connections while others work: three keep two cores busy, a fourth wins nothing.
    maxWorkers: 3,
    // What never ends is found all the same; what is slow because others share the machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A poll waits for something to happen; how long that takes on a shared machine says nothing.
    expect: { poll: { timeout: 30_000, interval: 50 } },
    restoreMocks: true,
    unstubEnvs: true,
  },
});
