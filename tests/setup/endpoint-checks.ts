import { expect } from "vitest";
import { errorBodySchema } from "~/wire/errors";

/** Reads the error body and expects it to say the status. */
export async function expectRefusal(response: Response, status: number): Promise<string> {
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const body = errorBodySchema.parse(await response.json());
  expect(body.code).toBe(status);
  return body.error;
}
