import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import type { FileRoom } from "~/db/database.server";
import { readEnv } from "~/env.server";
import { deleteFile, listFiles } from "~/nouns/files/operations.server";
import { commandLine } from "../cli/command-line";
import { startTestApp } from "../setup/app";
import { createTestDatabase, openDatabase, transportOfRun } from "../setup/database";
import { bearer } from "../setup/world";

const t = await createTestDatabase();
const home = mkdtempSync(join(tmpdir(), "backloom-limits-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const megabyte = "a".repeat(1024 ** 2);
const answerSchema = z.object({ id: z.uuid().optional(), error: z.string().optional() });

/** An installation with these settings, in which one owner uploads. */
async function installation(settings: Record<string, string>, folder?: string) {
  const fileRoom: FileRoom = { ...readEnv(settings).fileLimits, folder };
  const database = openDatabase(t.supabase, transportOfRun, { fileRoom });
  afterAll(() => database.close());
  const app = await startTestApp(t, { database });
  const owner = await t.createUser();
  const product = await t.seedProduct(owner, {});
  const token = await t.createToken(owner);
  const upload = async (text: string, credential = token) => {
    const body = new FormData();
    body.set("product_id", product.id);
    body.set("file", new File([text], "notes.txt"));
    const headers = bearer(credential);
    const answer = await app.request("/api/files", { method: "POST", headers, body });
    return { status: answer.status, ...answerSchema.parse(await answer.json()) };
  };
  return { owner, product, database, upload };
}

it("A disk with less free than FILES_FREE_DISK refuses uploads of known users with 507 and the reason", async () => {
  const { upload } = await installation({ FILES_FREE_DISK: "999999GB" }, home);
  expect(await upload("one")).toEqual({
    status: 507,
    error:
      "The disk of this installation has less than 999999 GB free, so it takes no more files. Ask its administrator to make room (FILES_FREE_DISK).",
  });
  expect((await upload("one", "blm_unknown")).status).toBe(401);
  const roomy = await installation({ FILES_FREE_DISK: "0MB" }, home);
  expect((await roomy.upload("one")).status).toBe(201);
});

it("Uploaded and imported files are limited by FILES_TOTAL, and deleted ones make room", async () => {
  const rows = await t.query`select coalesce(sum(size), 0) as bytes from public.files`;
  expect(Number(rows[0].bytes)).toBeLessThan(1024);
  const { owner, product, database, upload } = await installation({ FILES_TOTAL: "2MB" });
  const { id = "", status } = await upload(megabyte);
  expect(status).toBe(201);
  const refusal =
    "The files of this installation take 2 MB, which is the limit that its administrator set. Delete some files, or ask the administrator for more room (FILES_TOTAL).";
  expect(await upload(megabyte)).toEqual({ status: 507, error: refusal });

  const admin = commandLine({ ...t, database });
  const [document, folder] = [join(home, "product.json"), join(home, "files")];
  await admin.json("export", "--product", product.id, "--out", document, "--files", folder);
  const words = ["import", document, "--owner", owner.username, "--code", "COPY"];
  const products = "select from public.products where owner_id = $1";
  expect(await admin.refusal(...words, "--files", folder)).toMatchObject({ error: refusal });
  expect((await t.sql.query(products, [owner.id])).rowCount).toBe(1);

  await deleteFile(t.actorOf(owner), { file_id: id });
  const copy = await admin.json(...words, "--files", folder);
  const { used } = await listFiles(t.actorOf(owner), { product_id: String(copy.id) });
  expect(used).toBe(megabyte.length);
});

it("Imported files count against the 5 GB of the product's owner", async () => {
  const { owner, product, database, upload } = await installation({});
  expect((await upload("one")).status).toBe(201);
  const admin = commandLine({ ...t, database });
  const [document, folder] = [join(home, "small.json"), join(home, "small")];
  await admin.json("export", "--product", product.id, "--out", document, "--files", folder);
  for (let n = 0; n < 4; n++) {
    const { id } = await t.seedProduct(owner, {});
    await t.query`insert into public.files (product_id, name, type, size)
        select ${id}, 'f', 'text/plain', 10485760 from generate_series(1, 128)`;
  }
  const words = ["import", document, "--owner", owner.username, "--code", "COPY"];
  const refused = await admin.refusal(...words, "--files", folder);
  expect(refused.error).toContain("5 GB");
});
