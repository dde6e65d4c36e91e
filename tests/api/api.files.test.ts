import { expect, it } from "vitest";
import { z } from "zod";
import { addComment, deleteComment } from "~/nouns/comments/operations.server";
import { getStoryPage } from "~/nouns/pages/operations.server";
import { archiveProduct, removeProductMember, setMemberRole } from "~/nouns/products/operations.server";
import { addEvidence, getProof } from "~/nouns/proof/operations.server";
import { fileListSchema, fileSchema } from "~/wire/files/contract";
import { openApp } from "../setup/app";
import { busyMilliseconds } from "../setup/thread-work";
import type { TestUser } from "../setup/world";

const { t, app } = await openApp();
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const refusalSchema = z.object({ error: z.string(), code: z.number() });

async function scene() {
  const owner = await t.createUser();
  const { product, story, task } = await t.seedBacklog(owner);
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
    const headers = await t.bearerOf(user);
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
  const read = async (url: string, user: TestUser = owner) => app.request(url, { headers: await t.bearerOf(user) });
  return { owner, actor: t.actorOf(owner), product, story, task, send, upload, refused, read };
}

it("A picture is served to members and viewers of its product, and is 404 to strangers", async () => {
  const { owner, product, task, upload, read } = await scene();
  const file = await upload(png, { task_id: task.id }, { name: '../ evil"\n.png' });
  expect(file).toEqual({
    id: file.id,
    url: `/api/files/${file.id}`,
    name: "evil.png",
    type: "image/png",
    size: png.length,
  });
  const viewer = await t.createMember(product.id);
  await setMemberRole(t.actorOf(owner), { product_id: product.id, user_id: viewer.id, role: "VIEWER" });
  for (const user of [owner, viewer]) {
    const answer = await read(file.url, user);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(png)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/png",
      "content-disposition": "inline; filename*=UTF-8''evil.png",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("sandbox"),
      "cache-control": "private, no-cache",
    });
  }
  const cookie = await app.signIn(viewer);
  expect((await app.request(file.url, { headers: { cookie } })).status).toBe(200);
  expect((await app.request(file.url)).status).toBe(401);
  const stranger = await read(file.url, await t.createUser());
  expect([stranger.status, await stranger.text()]).toEqual([
    404,
    await read("/api/files/00000000-0000-4000-8000-000000000000").then((gone) => gone.text()),
  ]);
});

it("The type of a file comes from its content, and nothing that could run is shown inline", async () => {
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

it("A file has at most 10 MB and a product 1 GB of files, even if many uploads come at once", async () => {
  const { product, upload, refused, send } = await scene();
  const most = new Uint8Array(10 * 1024 * 1024).fill(97);
  expect((await upload(most)).size).toBe(most.length);
  expect(await refused(new Uint8Array(most.length + 1).fill(97))).toMatchObject({ status: 413 });
  // Their sizes are counted; what they hold is not looked at.
  await t.query`insert into files (product_id, name, type, size)
      select ${product.id}, 'big', 'text/plain', 10485760 from generate_series(1, 101)`;
  const half = new Uint8Array(3 * 1024 * 1024).fill(97);
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(half)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 413, 413, 413]);
});

it("A part of a long file costs less to read than the whole, and reads are limited per minute", async () => {
  const { upload, owner } = await scene();
  const content = "0123456789abcdef".repeat(200_000);
  const { url } = await upload(content, {}, { name: "long.txt" });
  const headers = await t.bearerOf(owner);
  const workOf = async (init: RequestInit) => {
    const before = busyMilliseconds();
    const answer = await app.request(url, { ...init, headers: { ...headers, ...init.headers } });
    const text = await answer.text();
    return { answer, text, work: busyMilliseconds() - before };
  };
  const whole = await workOf({});
  expect(whole.text).toBe(content);
  const part = await workOf({ headers: { range: "bytes=1600016-1600019" } });
  expect([part.answer.status, part.text]).toEqual([206, "0123"]);
  expect(part.work).toBeLessThan(Math.max(whole.work / 2, 10));
  const end = await workOf({ headers: { range: "bytes=-4" } });
  expect(end.text).toBe("cdef");
  const head = await workOf({ method: "HEAD" });
  expect(head.answer.headers.get("content-length")).toBe(String(content.length));

  await t.query`update rate_limit_counters set count = 600, window_start = private.now()
      where action = 'file_read' and key = ${owner.id}`;
  expect((await app.request(url, { headers })).status).toBe(429);
  expect((await app.request(url, { method: "HEAD", headers })).status).toBe(200);
});

it("Uploads by strangers, to archived products, to foreign items or without a form are refused", async () => {
  const { owner, actor, product, story, refused } = await scene();
  const other = await scene();
  expect(await refused(png, {}, { user: other.owner })).toMatchObject({ status: 403 });
  expect(await refused(png, { story_id: other.story.id })).toMatchObject({ status: 422 });
  expect(await refused(png, { product_id: "x" })).toMatchObject({ status: 422 });
  const headers = { ...(await t.bearerOf(owner)), "content-type": "application/json" };
  const body = JSON.stringify({ product_id: product.id, story_id: story.id });
  expect((await app.request("/api/files", { method: "POST", headers, body })).status).toBe(400);
  expect((await app.request("/api/files", { method: "POST" })).status).toBe(401);
  await archiveProduct(actor, { product_id: product.id });
  expect(await refused(png)).toMatchObject({ status: 403 });
});

it("A file is deleted with the comment that it belongs to", async () => {
  const { actor, task, upload, read } = await scene();
  const comment = await addComment(actor, { kind: "task", id: task.id, body: "Look" });
  const file = await upload(png, { comment_id: comment.id });
  await t.query`delete from comments where id = ${comment.id}`;
  expect((await read(file.url)).status).toBe(404);
  const rows = await t.query`select 1 from file_contents where file_id = ${file.id}`;
  expect(rows).toEqual([]);
});

it("A browser asks again before it shows a cached file, and players get byte ranges", async () => {
  const { owner, product, upload } = await scene();
  const file = await upload("\x00\x00\x00\x18ftypmp42 and more");
  const viewer = await t.createMember(product.id);
  const cookie = await app.signIn(viewer);
  const ask = (headers: Record<string, string>) => app.request(file.url, { headers: { cookie, ...headers } });
  const tag = (await ask({})).headers.get("etag") ?? "";
  expect((await ask({ "if-none-match": tag })).status).toBe(304);
  for (const [range, status, text, header] of [
    ["bytes=4-7", 206, "ftyp", "bytes 4-7/21"],
    ["bytes=17-", 206, "more", "bytes 17-20/21"],
    ["bytes=-4", 206, "more", "bytes 17-20/21"],
    ["bytes=17-900", 206, "more", "bytes 17-20/21"],
    ["bytes=21-", 416, "", "bytes */21"],
    ["bytes=0-1,3-4", 200, "\x00\x00\x00\x18ftypmp42 and more", null],
  ] as const) {
    const answer = await ask({ range });
    expect([answer.status, await answer.text()]).toEqual([status, text]);
    expect(answer.headers.get("content-range")).toBe(header);
  }
  await removeProductMember(t.actorOf(owner), { product_id: product.id, user_id: viewer.id });
  expect((await ask({ "if-none-match": tag })).status).toBe(404);
  expect((await ask({ range: "bytes=0-3" })).status).toBe(404);
});

it("A file name of any kind is stored and sent back as a plain name", async () => {
  const { upload, read } = await scene();
  for (const [given, kept] of [
    ["photo\u202egpj.exe", "photogpj.exe"],
    ["..\\..\\etc/passwd", "passwd"],
    ["a\r\nset-cookie: x=1.png", "aset-cookie: x=1.png"],
    ['x"; filename=evil.html', "x; filename=evil.html"],
    ["😀".repeat(300), "😀".repeat(200)],
    ["天気 (1)'*.png", "天気 (1)'*.png"],
    ["\u0000", "file"],
  ] as const) {
    const file = await upload(png, {}, { name: given });
    expect(file.name).toBe(kept);
    const header = (await read(file.url)).headers.get("content-disposition") ?? "";
    const [, encoded = ""] = /^inline; filename\*=UTF-8''([A-Za-z0-9%._~!-]+)$/.exec(header) ?? [];
    expect(decodeURIComponent(encoded)).toBe(kept);
  }
});

it("A viewer adds files to their own comments and to nothing else", async () => {
  const { owner, actor, product, story, task, refused, upload, read } = await scene();
  const viewer = await t.createMember(product.id);
  await setMemberRole(actor, { product_id: product.id, user_id: viewer.id, role: "VIEWER" });
  for (const [kind, id] of [
    ["story_id", story.id],
    ["task_id", task.id],
  ] as const)
    expect(await refused(png, { [kind]: id }, { user: viewer })).toMatchObject({
      status: 403,
      error: expect.stringContaining("viewer"),
    });
  const theirs = await addComment(actor, { kind: "task", id: task.id, body: "Mine" });
  expect(await refused(png, { comment_id: theirs.id }, { user: viewer })).toMatchObject({ status: 403 });
  const file = await upload(png, {}, { user: viewer });
  const others = await upload(png, {}, { user: owner });
  const body = `![a](${file.url}) ![b](${others.url})`;
  const own = { kind: "task", id: task.id } as const;
  const comment = await addComment(t.actorOf(viewer), { ...own, body });
  await deleteComment(t.actorOf(viewer), { ...own, comment_id: comment.id });
  expect((await read(file.url)).status).toBe(404);
  expect((await read(others.url)).status).toBe(200);
});

it("The files of a product are listed to its members, and deleted only by those who may", async () => {
  const { owner, product, story, task, upload, read } = await scene();
  const member = await t.createMember(product.id);
  const first = await upload(png, { story_id: story.id }, { name: "first.png" });
  const second = await upload("text", { task_id: task.id }, { user: member, name: "second.txt" });
  const list = async (query = "", user = owner) => {
    const answer = await read(`/api/products/${product.id}/files${query}`, user);
    return answer.status === 200 ? fileListSchema.parse(await answer.json()) : { status: answer.status };
  };
  const newest = await list("?limit=1");
  expect(newest).toMatchObject({
    files: [{ id: second.id, task_id: task.id, author: member.username, evidence: false }],
    used: png.length + 4,
    next_cursor: expect.stringContaining(second.id),
  });
  expect(await list(`?cursor=${"next_cursor" in newest && newest.next_cursor}`)).toMatchObject({
    files: [{ id: first.id, story_id: story.id }],
    next_cursor: null,
  });
  expect(await list("", await t.createUser())).toEqual({ status: 403 });
  expect((await getStoryPage(t.actorOf(owner), { story_id: story.id })).files).toMatchObject([
    { id: first.id, name: "first.png" },
  ]);

  const remove = async (url: string, user: TestUser) =>
    (await app.request(url, { method: "DELETE", headers: await t.bearerOf(user) })).status;
  expect(await remove(first.url, member)).toBe(403);
  expect(await remove(first.url, await t.createUser())).toBe(404);
  expect(await remove(second.url, member)).toBe(204);
  const { criteria } = await getProof(t.actorOf(owner), { story_id: story.id });
  const proof = await upload(png, { story_id: story.id }, { user: member });
  const criterion = criteria[0]?.id ?? "";
  await addEvidence(t.actorOf(member), { story_id: story.id, criterion, file: proof.id });
  expect(await remove(proof.url, member)).toBe(403);
  expect(await remove(proof.url, owner)).toBe(204);
  expect(await remove(proof.url, owner)).toBe(404);
  const rows = await t.query`select 1 from file_contents where file_id = ${proof.id}`;
  expect(rows).toEqual([]);
});
