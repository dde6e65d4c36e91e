import { rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { readPlain } from "../base/files";

/** A login file of the user that programs of a job may renew. */
export interface Login {
  /** Path below the home, which says nothing about this machine. */
  name: string;
  file: string;
}

/** Logins that programs have now, as they were when the first of them began or renewed. Jobs at a time share them. */
const lent = new Map<string, { text: string | null; programs: number }>();
const mostBytes = 1_000_000;

/** Call its result at the program's end: another account's login is undone, or the user's tools would work for it. */
export async function lendLogins(
  logins: readonly Login[],
  putBack: (name: string) => void,
): Promise<() => Promise<void>> {
  const ends = await Promise.all(logins.map((login) => lendOne(login, putBack)));
  return async () => void (await Promise.all(ends.map((end) => end())));
}

async function lendOne({ name, file }: Login, putBack: (name: string) => void) {
  const text = await readPlain(file, mostBytes);
  const login = lent.get(file) ?? { text, programs: 0 };
  login.programs += 1;
  lent.set(file, login);
  return async (): Promise<void> => {
    try {
      const now = await readPlain(file, mostBytes);
      if (login.text === null || login.text === now) return;
      if (now !== null && isSameAccount(now, login.text)) {
        login.text = now;
        return;
      }
      await replace(file, login.text);
      putBack(name);
    } finally {
      login.programs -= 1;
      if (login.programs === 0) lent.delete(file);
    }
  };
}

export function loginSentence(name: string): string {
  return `After a program, ${name} was not the login of the same account, so the earlier one was restored. If you signed in with another account yourself, do it again while no job runs.`;
}

/** A new file: a link in its place is not followed, and programs that still hold the old one no longer reach it. */
async function replace(file: string, text: string): Promise<void> {
  await rm(`${file}.kept`, { recursive: true, force: true });
  await writeFile(`${file}.kept`, text, { flag: "wx", mode: 0o600 });
  await rm(file, { recursive: true, force: true });
  await rename(`${file}.kept`, file);
}

function isSameAccount(one: string, other: string): boolean {
  const account = accountIn(one);
  return account !== null && account === accountIn(other);
}

/** All of a login but what its renewal changes; null for what is not JSON. */
function accountIn(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), lasting);
  } catch {
    return null;
  }
}

const renewed = /token$|expir|refresh|^(scopes?|subscriptionType|rateLimitTier)$/i;

function lasting(name: string, value: unknown): unknown {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  if (renewed.test(name) && !isRecord) return claimsOf(value);
  // Tools may write the same in another order.
  return isRecord ? Object.fromEntries(Object.entries(value).sort()) : (value ?? undefined);
}

const claimsSchema = z.object({
  sub: z.string().optional(),
  "https://api.openai.com/auth": z.object({ chatgpt_account_id: z.string().optional() }).optional(),
});

/** Whom a token names, if it is one that says so. Its signature is for the service that it is sent to. */
function claimsOf(token: unknown): unknown {
  const claims = typeof token === "string" ? token.split(".")[1] : undefined;
  if (claims === undefined) return undefined;
  try {
    return claimsSchema.parse(JSON.parse(Buffer.from(claims, "base64url").toString()));
  } catch {
    return undefined;
  }
}
