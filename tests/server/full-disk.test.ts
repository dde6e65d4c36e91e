import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { fileListSchema } from "~/wire/files/contract";
import { fillDisk, makeSmallDisk } from "../setup/small-disk";
import { create } from "../setup/world";
import { type OwnService, openOwnDatabase, startService } from "./own-service";

const disk = makeSmallDisk(400);
if (!disk) console.warn("A full disk was not tried: no file system can be made here (it needs root on Linux)");

type Scene = { service: OwnService; taskIds: string[]; productId: string; headers: Record<string, string> };

async function openScene(folder: string): Promise<Scene> {
  const service = await startService(folder);
  const store = await openOwnDatabase(folder);
  const owner = await store.createUser();
  const { product, story } = await store.seedBacklog(owner);
  const taskIds: string[] = [];
  for (let n = 0; n < 8; n++) {
    const given = { p_story_id: story.id, p_title: `Task ${n}` };
    taskIds.push((await create(store.actorOf(owner), "create_task", given)).id);
  }
  const headers = { ...(await store.bearerOf(owner)), "content-type": "application/json" };
  await store.close();
  return { service, taskIds, productId: product.id, headers };
}

const refusal = z.object({ error: z.string(), code: z.number() });

describe.skipIf(!disk)("a disk that is full", { timeout: 300_000 }, () => {
  afterAll(() => disk?.remove());

  it("A service on a full disk refuses writes with a sentence, and recovers by itself once there is room", async () => {
    const folder = disk?.folder ?? "";
    const { service, taskIds, productId, headers } = await openScene(folder);
    const kept = new Map<string, string>();
    const refused: z.infer<typeof refusal>[] = [];
    let round = 0;
    /** One change of a task, with a text that does not fit into the pages that are there. */
    const change = async () => {
      round += 1;
      const id = taskIds[round % taskIds.length] ?? "";
      const text = `${round} ${Array.from({ length: 3_000 }, () => Math.random().toString(36)).join(" ")}`;
      const answer = await fetch(`${service.origin}/api/tasks/${id}`, {
        method: "PATCH",
        headers,
        body: JSON.stringify({ implementation_plan: text }),
      });
      const body: unknown = await answer.json();
      if (answer.status === 200) kept.set(id, text);
      else refused.push(refusal.parse(body));
      return answer.status;
    };
    const upload = async () => {
      const body = new FormData();
      body.set("product_id", productId);
      body.set("file", new File([randomBytes(2_000_000).toString("hex")], "notes.txt"));
      const { authorization = "" } = headers;
      const init = { method: "POST", headers: { authorization }, body };
      const answer = await fetch(`${service.origin}/api/files`, init);
      const said: unknown = await answer.json();
      if (answer.status !== 201) refused.push(refusal.parse(said));
      return answer.status;
    };
    expect(await upload()).toBe(201);
    for (let n = 0; n < 16; n++) expect(await change()).toBe(200);

    const makeRoom = fillDisk(folder);
    await vi.waitFor(async () => expect(await change()).toBe(503), { timeout: 60_000, interval: 1 });
    for (let n = 0; n < 20; n++) await change();
    for (const { code, error } of refused) {
      expect(code).toBe(503);
      expect(error).toMatch(/disk of the database is full|busy or restarting/);
    }
    expect(await upload()).toBe(507);
    expect(refused.at(-1)?.error).toContain("The disk of this installation has less than 40 MB");
    expect(refused.map(({ error }) => error).join()).toContain("disk of the database is full");

    makeRoom();
    await vi.waitFor(async () => expect(await change()).toBe(200), { timeout: 120_000, interval: 200 });
    await vi.waitFor(async () => {
      const ready = await fetch(`${service.origin}/api/ready`);
      await ready.arrayBuffer();
      expect(ready.status).toBe(200);
    }, 120_000);
    for (const [id, text] of kept) {
      const answer = await fetch(`${service.origin}/api/tasks/${id}`, { headers });
      const task = z.object({ implementation_plan: z.string() }).parse(await answer.json());
      expect(task.implementation_plan).toBe(text);
    }
    const listed = await fetch(`${service.origin}/api/products/${productId}/files`, { headers });
    const { files } = fileListSchema.parse(await listed.json());
    expect(files).toHaveLength(1);
    await service.end("SIGTERM");
  });
});
