import type { Database } from "~/db/database.server";
import { createAccount } from "~/nouns/accounts/create-account.server";
import { hasAccounts, setActiveProduct } from "~/nouns/accounts/operations.server";
import { randomPassword } from "~/nouns/accounts/random-password";
import { issueApiToken } from "~/nouns/api-tokens/operations.server";
import { exportDocumentSchema, exportFormat, exportVersion } from "~/nouns/transfers/export-document";
import { importDocument } from "~/nouns/transfers/import-document.server";
import { enrolMember } from "~/nouns/transfers/operations.server";
import { sampleDocument } from "~/nouns/transfers/sample-document";

/** What the first start created. Printed once and stored nowhere else. */
export interface FirstStart {
  administrator: { username: string; email: string; password: string };
  token: string;
  demo: { username: string; email: string; password: string };
  product: { id: string; code: string };
}

/** An administrator with a token, a demo account, a product with a sprint to run. Null if any account exists. */
export async function prepareFirstStart(database: Database): Promise<FirstStart | null> {
  if (await hasAccounts(database)) return null;
  const administrator = account("admin");
  const demo = account("demo");
  const { id: adminId } = await createAccount(database, { ...administrator, role: "ADMIN" });
  const { id: demoId } = await createAccount(database, { ...demo, is_demo: true });
  const { token } = await issueApiToken(database, adminId, { label: "first start" });
  const document = exportDocumentSchema.parse({ format: exportFormat, version: exportVersion, ...sampleDocument });
  const { id, code } = await importDocument(database, adminId, document, { isTrusted: true });
  await enrolMember(database, { product_id: id, user_id: demoId });
  await setActiveProduct({ database, credential: { user_id: adminId } }, { product_id: id });
  return { administrator, token, demo, product: { id, code } };
}

function account(username: string): { username: string; email: string; password: string } {
  return { username, email: `${username}@localhost.localdomain`, password: randomPassword() };
}

/** Returns the lines that `npm start` prints once, ending with first steps for a person and an agent. */
export function describeFirstStart(first: FirstStart, origin: string): string[] {
  const { administrator, demo, token, product } = first;
  return [
    "This is the first start. These are shown once; keep what you need:",
    `  Administrator   ${administrator.username} / ${administrator.password}`,
    `  API token       ${token}`,
    `  Demo account    ${demo.username} / ${demo.password} (read-only)`,
    `  Sample product  ${product.code} at ${origin}/products/${product.id}/backlog`,
    `Sign in and open ${origin}/start, a guide to the first five minutes. The first call of an agent:`,
    `  curl -H "Authorization: Bearer ${token}" ${origin}/api/products/${product.id}/agent-context`,
  ];
}
