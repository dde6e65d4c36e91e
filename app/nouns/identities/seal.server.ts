import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";

/** Purpose of a sealed text. It cannot be opened for another purpose. */
type Purpose =
  | "refresh token"
  | "departure"
  | "next tokens"
  | "recovery"
  | "connect"
  | "import draft"
  | "import report";

/** Encrypts with a key derived from the first secret and the purpose. The secret must not be guessable. */
export async function seal(purpose: Purpose, text: string, [secret]: readonly string[]): Promise<string> {
  if (secret === undefined) throw new Error("No SESSION_SECRET to seal with");
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(keyOf(purpose, secret));
}

/** Decrypts with any of the secrets; null if damaged, foreign, or sealed with a removed secret. */
export async function unseal(purpose: Purpose, sealed: string, secrets: readonly string[]): Promise<string | null> {
  for (const secret of secrets) {
    try {
      const { plaintext } = await compactDecrypt(sealed, keyOf(purpose, secret), {
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      return new TextDecoder().decode(plaintext);
    } catch {
      // The next secret may work.
    }
  }
  return null;
}

/** A text that its owner may keep for us and read, but not change or hand to another. */
export function stamp(purpose: Purpose, owner: string, text: string, [secret]: readonly string[]): string {
  if (secret === undefined) throw new Error("No SESSION_SECRET to stamp with");
  return `${stampOf(purpose, owner, text, secret).toString("base64url")}.${text}`;
}

/** The text that was stamped for this owner with any of the secrets; null for anything else. */
export function readStamped(
  purpose: Purpose,
  owner: string,
  stamped: string,
  secrets: readonly string[],
): string | null {
  const at = stamped.indexOf(".");
  const [given, text] = [Buffer.from(stamped.slice(0, at), "base64url"), stamped.slice(at + 1)];
  const isOurs = secrets.some((secret) => {
    const wanted = stampOf(purpose, owner, text, secret);
    return wanted.length === given.length && timingSafeEqual(wanted, given);
  });
  return at > 0 && isOurs ? text : null;
}

function stampOf(purpose: Purpose, owner: string, text: string, secret: string): Buffer {
  return createHmac("sha256", keyOf(purpose, secret)).update(`${owner}\0`).update(text).digest();
}

function keyOf(purpose: Purpose, secret: string): Uint8Array {
  return createHash("sha256").update(`oidc ${purpose}\0${secret}`).digest();
}
