import { mkdirSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { fail, typed } from "./problem.mjs";

const smallestNode = [20, 19];
const neededMegabytes = 300;

/** Checks the Node version: the packages need 20.19 or later. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [neededMajor, neededMinor] = smallestNode;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return;
  fail(
    `Node ${process.versions.node} is too old: ${neededMajor}.${neededMinor} or later is needed; "npx n 20" or nodejs.org has it`,
  );
}

/** Checks that the port is free, before anything slow starts. */
export async function checkPort(port, host) {
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    fail(`PORT must be a number from 0 to 65535; try "PORT=3001 ${typed("start")}"`);
  }
  const problem = await tryPort(port, host);
  if (problem === undefined) return;
  const free = port === 65535 ? port - 1 : port + 1;
  if (problem === "EADDRINUSE") {
    fail(`Port ${port} is taken; stop what listens there, or run "PORT=${free} ${typed("start")}"`);
  }
  if (problem === "EACCES") fail(`Port ${port} may not be used by this user; run "PORT=3000 ${typed("start")}"`);
  fail(`Cannot listen on ${host} (${problem}); run "HOST=127.0.0.1 ${typed("start")}"`);
}

function tryPort(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(error.code));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Checks free disk space, because a full disk would stop Postgres midway. */
export function checkSpace(folder) {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    fail(`The data folder ${folder} cannot be made (${error.code}); set DATA_DIR to another one`);
  }
  const { bavail, bsize } = statfsSync(folder);
  const megabytes = Math.floor((bavail * bsize) / 1024 / 1024);
  if (megabytes >= neededMegabytes) return;
  fail(
    `Only ${megabytes} MB are free for ${folder}, ${neededMegabytes} are needed; free some, or set DATA_DIR to another disk`,
  );
}
