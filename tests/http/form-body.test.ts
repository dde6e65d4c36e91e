import { expect, it } from "vitest";
import { refuseBadForm } from "~/http/request-body.server";
import { ContractError } from "~/wire/errors";
import { busyMilliseconds } from "../setup/thread-work";

const formType = "application/x-www-form-urlencoded";

async function statusOf(body: string, type = formType): Promise<number> {
  try {
    const bytes = new TextEncoder().encode(body);
    await refuseBadForm(bytes, new Headers(type === "" ? {} : { "content-type": type }));
    return 200;
  } catch (error) {
    return error instanceof ContractError ? error.status : 500;
  }
}

function multipart(names: readonly string[]): string {
  const parts = names.map((name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n`);
  return `${parts.join("")}--b--\r\n`;
}

it.each(["a[4294967294]", "a[0]", "a[]", "a.b", "a.".repeat(20_000), "__proto__", "", "x".repeat(41)])(
  "A form is refused if it has a field named %s",
  async (name) => {
    expect(await statusOf(new URLSearchParams([[name, "1"]]).toString())).toBe(422);
    // The header lines of a part have a limit before their names are read.
    const refused = name.length > 4_000 ? 400 : 422;
    expect(await statusOf(multipart([name]), "multipart/form-data; boundary=b")).toBe(refused);
  },
);

it("A form's fields are not counted further than the limit", async () => {
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  const [few, many] = [2_001, 180_000].map((count) =>
    new TextEncoder().encode(part.repeat(count).padEnd(10_000_000, ".")),
  );
  const least = async (body: typeof few) => {
    const works: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      const before = busyMilliseconds();
      const headers = new Headers({ "content-type": "multipart/form-data; boundary=b" });
      await expect(refuseBadForm(body ?? new Uint8Array(), headers)).rejects.toThrow("2000");
      works.push(busyMilliseconds() - before);
    }
    return Math.min(...works);
  };
  expect(await least(many)).toBeLessThan(3 * Math.max(await least(few), 3));
});

it("A form keeps plain names, also repeated ones", async () => {
  expect(await statusOf("intent=x&story_id=1&story_id=2&redirectTo=%2F")).toBe(200);
  expect(await statusOf(multipart(["picture"]), "multipart/form-data; boundary=b")).toBe(200);
  expect(await statusOf("", "")).toBe(200);
});

it("A form's fields are counted before they are parsed", async () => {
  expect(await statusOf("a&".repeat(500_000))).toBe(422);
  const names = Array.from({ length: 3_000 }, () => "a");
  expect(await statusOf(multipart(names), "multipart/form-data; boundary=b")).toBe(422);
});

it("A body that is not a form is malformed", async () => {
  expect(await statusOf("{}", "application/json")).toBe(400);
  expect(await statusOf("x", "")).toBe(400);
});
