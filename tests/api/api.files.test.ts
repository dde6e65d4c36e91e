import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fileSchema } from "~/contract/file";
import { addComment } from "~/domain/comments/operations.server";
import { archiveProduct, setMemberRole } from "~/domain/products/operations.server";
import { bearer, createToken, signIn, startTestApp } from "../setup/app";
import { addMember, seedBacklog } from "../setup/backlog";
import { createTestDatabase } from "../setup/database";
import { createUser, type TestUser } from "../setup/users";

const t = await createTestDatabase();
const app = await startTestApp(t);
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const refusalSchema = z.object({ error: z.string(), code: z.number() });

async function scene() {
  const owner = await createUser(t);
  const { product, story, task } = await seedBacklog(t, owner);
  const send = async (
    content: Uint8Array<ArrayBuffer> | string,
    fields: Record<string, string> = {},
    { user = owner, name = "a.png" } = {},
  ) => {
    const body = new FormData();
    for (const [key, value] of Object.entries({ product_id: product.id, ...fields })) {
      body.set(key, value);
    }
    body.set("file", new File([content], name));
    const headers = bearer(await createToken(t, user));
    return app.request("/api/files", { method: "POST", headers, body });
  };
  const upload = async (...given: Parameters<typeof send>) => {
    const answer = await send(...given);
    expect(answer.status).toBe(201);
    return fileSchema.parse(await answer.json());
  };
  const refused = async (...given: Parameters<typeof send>) => {
    const answer = await send(...given);
    return { status: answer.status, ...refusalSchema.parse(await answer.json()) };
  };
  const read = async (url: string, user: TestUser = owner) =>
    app.request(url, { headers: bearer(await createToken(t, user)) });
  return { owner, actor: t.actorOf(owner), product, story, task, send, upload, refused, read };
}

describe("POST /api/files", () => {
  it("keeps a picture, and hands it to members of its product only, also by its address", async () => {
    const { owner, product, task, upload, read } = await scene();
    const file = await upload(png, { task_id: task.id }, { name: '../ evil"\n.png' });
    expect(file).toEqual({
      ...{ id: file.id, url: `/api/files/${file.id}`, name: " evil.png" },
      ...{ type: "image/png", size: png.length },
    });
    const viewer = await createUser(t);
    await addMember(t, product.id, viewer);
    await setMemberRole(t.actorOf(owner), {
      product_id: product.id,
      user_id: viewer.id,
      role: "VIEWER",
    });
    for (const user of [owner, viewer]) {
      const answer = await read(file.url, user);
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.arrayBuffer()).equals(png)).toBe(true);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "image/png",
        "content-disposition": "inline; filename*=UTF-8''%20evil.png",
        "x-content-type-options": "nosniff",
        "content-security-policy": expect.stringContaining("sandbox"),
        "cache-control": expect.stringContaining("private"),
      });
    }
    const cookie = await signIn(t, app, viewer);
    expect((await app.request(file.url, { headers: { cookie } })).status).toBe(200);
    expect((await app.request(file.url)).status).toBe(401);
    const stranger = await read(file.url, await createUser(t));
    expect([stranger.status, await stranger.text()]).toEqual([
      404,
      await read("/api/files/00000000-0000-4000-8000-000000000000").then((gone) => gone.text()),
    ]);
  });

  it("tells the type from the content, and lets nothing that could run be shown", async () => {
    const { upload, refused, read } = await scene();
    const script = "<script>alert(1)</script>";
    for (const [content, name] of [
      [script, "a.png"],
      [`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`, "a.svg"],
      ["#!/bin/sh\nrm -rf /", "a.sh"],
    ] as const) {
      const file = await upload(content, {}, { name });
      expect(file.type).toBe("text/plain");
      const { headers } = await read(file.url);
      expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(headers.get("content-disposition")).toMatch(/^attachment;/);
    }
    const types = [
      ["GIF89a...", "image/gif"],
      ["%PDF-1.7", "application/pdf"],
      ["\x00\x00\x00\x18ftypmp42", "video/mp4"],
    ] as const;
    for (const [content, type] of types) expect((await upload(content)).type).toBe(type);
    const elf = new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]);
    expect(await refused(elf, {}, { name: "a.png" })).toMatchObject({
      status: 422,
      error: expect.stringContaining("not accepted"),
    });
    expect(await refused("")).toMatchObject({ status: 422 });
  });

  it("takes 10 MB and no more, and 1 GB a product, however many come at once", async () => {
    const { product, upload, refused, send } = await scene();
    const most = new Uint8Array(10 * 1024 * 1024).fill(97);
    expect((await upload(most)).size).toBe(most.length);
    expect(await refused(new Uint8Array(most.length + 1).fill(97))).toMatchObject({ status: 413 });
    // Their sizes are counted; what they hold is not looked at.
    await t.sql.query(
      `insert into files (product_id, name, type, size)
       select $1, 'big', 'text/plain', 10485760 from generate_series(1, 101)`,
      [product.id],
    );
    const half = new Uint8Array(3 * 1024 * 1024).fill(97);
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(half)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 413, 413, 413]);
  });

  it("refuses strangers, archived products, places elsewhere and bodies that are no form", async () => {
    const { owner, actor, product, story, refused } = await scene();
    const other = await scene();
    expect(await refused(png, {}, { user: other.owner })).toMatchObject({ status: 403 });
    expect(await refused(png, { story_id: other.story.id })).toMatchObject({ status: 422 });
    expect(await refused(png, { product_id: "x" })).toMatchObject({ status: 422 });
    const headers = { ...bearer(await createToken(t, owner)), "content-type": "application/json" };
    const body = JSON.stringify({ product_id: product.id, story_id: story.id });
    expect((await app.request("/api/files", { method: "POST", headers, body })).status).toBe(400);
    expect((await app.request("/api/files", { method: "POST" })).status).toBe(401);
    await archiveProduct(actor, { product_id: product.id });
    expect(await refused(png)).toMatchObject({ status: 403 });
  });

  it("goes with the comment that it belongs to", async () => {
    const { actor, task, upload, read } = await scene();
    const comment = await addComment(actor, { kind: "task", id: task.id, body: "Look" });
    const file = await upload(png, { comment_id: comment.id });
    await t.sql.query("delete from comments where id = $1", [comment.id]);
    expect((await read(file.url)).status).toBe(404);
    const { rows } = await t.sql.query("select 1 from file_contents where file_id = $1", [file.id]);
    expect(rows).toEqual([]);
  });
});
