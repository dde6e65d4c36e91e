import { passwordSchema } from "~/contract/account";
import { UsageError } from "./command";
import type { Target } from "./target.server";

/** The password of `--password`; with `-` the first line of standard input. */
export async function givenPassword(target: Target, password: string): Promise<string> {
  const given = password === "-" ? await target.inputLine() : password;
  const parsed = passwordSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    parsed.error.issues.map(({ message }) => `--password: ${message}`).join("\n"),
  );
}
