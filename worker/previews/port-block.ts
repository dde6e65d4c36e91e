import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { isRunning, markOf, takeLock } from "../base/work-folder";

/** Below the ports that Linux gives to outgoing connections, and without those that browsers refuse. */
const [first, last, size] = [20_000, 29_990, 10];

const heldSchema = z.record(z.string(), z.string());

/** Outside a sandbox, for as long as the worker runs. Workers of a machine read, test and write in turn. */
export async function takePorts(workDir: string): Promise<{ port: number; release(): Promise<void> }> {
  const file = join(workDir, "ports.json");
  const port = await inTurn(file, async (held) => {
    for (let start = first; start <= last; start += size) {
      const owner = held[start];
      if (owner !== undefined && (isOwn(owner) || (await isRunning(owner)))) continue;
      if (!(await areFree(start))) continue;
      held[start] = await markOf(process.pid);
      return start;
    }
    throw new Error("No ten ports between 20000 and 29999 are free on this machine");
  });
  return { port, release: () => inTurn(file, async (held) => void delete held[port]) };
}

function isOwn(mark: string): boolean {
  return mark.startsWith(`${process.pid} `);
}

/** Within this process one after another: it would take its own lock for a dead one. */
let latest: Promise<unknown> = Promise.resolve();

function inTurn<T>(file: string, change: (held: Record<number, string>) => Promise<T>): Promise<T> {
  const turn = latest.then(async () => {
    const lock = `${file}.lock`;
    while (!(await takeLock(lock))) await wait(20);
    try {
      const read = await readFile(file, "utf8")
        .then(JSON.parse)
        .catch(() => ({}));
      const held = heldSchema.catch({}).parse(read);
      const made = await change(held);
      await writeFile(file, JSON.stringify(held));
      return made;
    } finally {
      await rm(lock, { force: true });
    }
  });
  latest = turn.catch(() => undefined);
  return turn;
}

async function areFree(start: number): Promise<boolean> {
  for (let port = start; port < start + size; port += 1) {
    for (const host of ["127.0.0.1", "::1"]) if (!(await canListen(port, host))) return false;
  }
  return true;
}

/** Tried by listening: a connection would disturb who listens there. A machine without IPv6 has nothing there. */
export function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "EADDRNOTAVAIL" || error.code === "EAFNOSUPPORT"),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
