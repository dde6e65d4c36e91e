import { createHash } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";

/** Purpose of a sealed text. It cannot be opened for another purpose. */
type Purpose = "refresh token" | "departure" | "next tokens" | "recovery";

/** Encrypts with a key derived from the first secret and the purpose. The secret must not be guessable. */
export async function seal(
  purpose: Purpose,
  text: string,
  [secret]: readonly string[],
): Promise<string> {
  if (secret === undefined) throw new Error("No SESSION_SECRET to seal with");
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(keyOf(purpose, secret));
}

/** Decrypts with any of the secrets; null if damaged, foreign, or sealed with a removed secret. */
export async function unseal(
  purpose: Purpose,
  sealed: string,
  secrets: readonly string[],
): Promise<string | null> {
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

function keyOf(purpose: Purpose, secret: string): Uint8Array {
  return createHash("sha256").update(`oidc ${purpose}\0${secret}`).digest();
}
