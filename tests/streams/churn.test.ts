import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";
import { openStream } from "./stream-reader";
import { createWorld } from "./world";

const { t, app } = await openApp({ realtime: true });
const w = await createWorld(t);
const token = await t.createToken(w.member);
const connects = Number(process.env.CHURN_CONNECTS ?? 1000);
const sideBySide = 20;

setFlagsFromString("--expose-gc");
const collectGarbage = z.custom<() => void>((value) => typeof value === "function").parse(runInNewContext("gc"));

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

async function connectAndLeave(index: number): Promise<void> {
  const url = `${app.origin}/api/realtime/backlog?product_id=${w.productId}`;
  const reader = await openStream(url, bearer(token));
  // Some leave before the greeting, some after it.
  if (index % 3 > 0) await reader.nextNamed("ready");
  reader.close();
  await reader.ended;
}

async function churn(count: number): Promise<void> {
  for (let done = 0; done < count; done += sideBySide) {
    await Promise.all(Array.from({ length: sideBySide }, (_, i) => connectAndLeave(done + i)));
  }
  await expect.poll(() => app.services.streams.count).toBe(0);
  await expect.poll(() => app.services.hub.gauges.viewers).toBe(0);
}

describe("connecting and leaving (S8)", () => {
  it(`Connecting and leaving ${connects} times leaves no stream, timer, subscription or memory behind`, async () => {
    await churn(200);
    app.logLines.length = 0;
    collectGarbage();
    const heapBefore = process.memoryUsage().heapUsed;
    const timersBefore = timers();

    await churn(connects);
    // The test keeps the app's log in memory; that is not the app's own.
    app.logLines.length = 0;
    collectGarbage();
    expect(timers() - timersBefore).toBeLessThan(10);
    const grown = (process.memoryUsage().heapUsed - heapBefore) / 1_048_576;
    expect(grown).toBeLessThan(10);
    await expect
      .poll(() => app.services.hub.gauges, { timeout: 15_000, interval: 500 })
      .toEqual({ topics: 0, viewers: 0 });
  }, 600_000);
});
