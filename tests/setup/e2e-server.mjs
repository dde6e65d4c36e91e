// The service as `npm start` runs it, over a data folder that lasts as long as the browser tests.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { folderForData } from "./folder-for-data.mjs";

const dataDir = process.env.E2E_DATA_DIR || mkdtempSync(join(folderForData(), "backloom-e2e-"));
process.env.DATA_DIR = dataDir;
process.on("exit", () => rmSync(dataDir, { recursive: true, force: true }));
process.argv = [process.argv[0] ?? "node", "launch.mjs", "start"];
await import("../../app/cli/launch.mjs");
