import { startApp } from "../app";
import type { AppAddress } from "./processes";

async function main(): Promise<void> {
  const { port, sessionSecret, urlFor, pids, stop } = await startApp();
  const sqlUrl = urlFor("supabase_admin");
  const address: AppAddress = { port, sessionSecret, sqlUrl, feedUrl: urlFor("supabase_replication_admin"), pids };
  process.send?.({ ready: address });
  process.on("message", async (message) => {
    if (message === "memory") {
      global.gc?.();
      process.send?.({ memory: process.memoryUsage().rss });
      return;
    }
    await stop();
    process.exit(0);
  });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
