import pg from "pg";
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
  const parts = process.argv.slice(2);
  const wanted = (part: string) => parts.length === 0 || parts.includes(part);
  const server = new Program("app-server");
  const { ready: app } = await server.answer(appReady);
  const clients = new Program("clients");
  const sql = new pg.Pool({ connectionString: app.sqlUrl, max: 2 });
  const world = await createBenchWorld(sql, 200);
  await sql.end();

  try {
    if (wanted("memory")) await measureMemory(app, world, { server, clients });
    if (wanted("delivery")) await measureDelivery(app, world, clients);
    if (wanted("fan-out")) await measureFanOut(app, world, clients);
    if (wanted("output")) await measureOutput(app, clients);
    if (wanted("update-rate")) await measureUpdateRate(app.sqlUrl, world);
  } finally {
    await clients.stop();
    await server.stop();
  }
}

await main();
