// Entry of `npm run bench -- [http|pages|streams|jobs|growth|processes|where|soak|forecast] [part ...] [--check]`: builds what is stale, then runs
// the named benchmarks, or all of them one after the other, each against its bare reference program. Repeats every floor at the
// end; with --check a broken one ends it non-zero.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfStale } from "../app/cli/build.mjs";
import { readFloors } from "./floors.mjs";

const here = import.meta.dirname;
const all = ["http", "pages", "streams", "jobs", "growth", "processes", "where"].filter((name) =>
  existsSync(join(here, name, "main.ts")),
);
/** Only run when asked for: one takes an hour where no minutes are given, the other one reads histories. */
const alone = ["soak", "forecast"];
const words = process.argv.slice(2);
const isChecked = words.includes("--check");
const [first, ...parts] = words.filter((word) => word !== "--check");
if (first !== undefined && ![...all, ...alone].includes(first)) {
  const names = [...all, ...alone].join(", ");
  process.stderr.write(`There is no benchmark "${first}"; choose one of ${names}.\n`);
  process.exit(1);
}

await buildIfStale("pages");
await buildIfStale("programs");

const tsx = join(here, "../node_modules/tsx/dist/cli.mjs");
const folder = mkdtempSync(join(tmpdir(), "bench-floors-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
// Pages render several times slower with the development build of React.
const env = { ...process.env, NODE_ENV: "production", BENCH_FLOORS: join(folder, "floors") };
for (const name of first === undefined ? all : [first]) {
  process.stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(process.execPath, [tsx, join(here, name, "main.ts"), ...parts], {
    env,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}

const { text, broken } = readFloors(env.BENCH_FLOORS);
process.stdout.write(text);
if (isChecked && broken > 0) process.exitCode = 1;
