import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openApp } from "../setup/app";
import { openStream } from "./stream-reader";
import { createTask, createWorld } from "./world";

const { t, app } = await openApp({ realtime: true });
const rounds = Number(process.env.CONNECT_ROUNDS ?? 100);
const writesPerRound = 10;
const titles = z.object({ title: z.string() });

describe("writes around connecting (S4)", () => {
  it(`${rounds * writesPerRound} writes while streams connect are each in the state after ready or delivered, none twice`, async () => {
    const w = await createWorld(t);
    const headers = await t.bearerOf(w.member);
    const task = await createTask(t, w.storyId);
    const url = `${app.origin}/api/realtime/solo?product_id=${w.productId}`;
    let number = 0;

    for (let round = 0; round < rounds; round++) {
      const last = number + writesPerRound;
      const writing = (async () => {
        while (number < last) {
          number += 1;
          await t.sql.query("update public.tasks set title = $1 where id = $2", [`${number}`, task]);
          if (Math.random() < 0.3) await pause(Math.random() * 3);
        }
      })();
      if (round % 2 === 0) await pause(Math.random() * 10);

      const reader = await openStream(url, headers);
      await reader.nextNamed("ready");
      const rows = await t.query`select title from public.tasks where id = ${task}`;
      const state = Number(titles.parse(rows[0]).title);
      await writing;

      const delivered: number[] = [];
      while (state < last && (delivered.at(-1) ?? 0) < last) {
        const { data } = await reader.nextChange();
        if (data.id === task) delivered.push(Number(data.task_title));
      }
      const first = delivered[0] ?? last + 1;
      expect(first).toBeLessThanOrEqual(state + 1);
      expect(delivered).toEqual(Array.from({ length: delivered.length }, (_, i) => first + i));
      reader.close();
    }
    // Ten seconds on its own machine, and as often as long as others share it.
  }, 120_000);
});
