import pg from "pg";
import { isWanted } from "../wanted";
import { measureDelivery } from "./delivery";
import { measureFanOut } from "./fan-out";
import { measureMemory } from "./memory";
import { measureOutput } from "./output";
import { appReady, Program } from "./processes";
import { measureUpdateRate } from "./update-rate";
import { createBenchWorld } from "./world";

/**
 * What the way of a change to its readers costs, each figure as a ratio to a bare program in the same run. With names
 * as arguments only those parts run: delivery, fan-out, memory, output, update-rate.
 */
async function main(): Promise<void> {
  const server = new Program("app-server");
  const { ready: app } = await server.answer(appReady);
  const clients = new Program("clients");
  const sql = new pg.Pool({ connectionString: app.sqlUrl });
  const world = await createBenchWorld(sql, 200);

  try {
    if (isWanted("memory")) await measureMemory(app, world, { server, clients });
    if (isWanted("delivery")) await measureDelivery(app, world, clients);
    if (isWanted("fan-out")) await measureFanOut(app, world, clients, sql);
    if (isWanted("output")) await measureOutput(app, clients, sql);
    if (isWanted("update-rate")) await measureUpdateRate(sql, world);
  } finally {
    await sql.end();
    await clients.stop();
    await server.stop();
  }
}

await main();
